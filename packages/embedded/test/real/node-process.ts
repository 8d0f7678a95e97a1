/** `node node-process.ts HOME`: a cluster with a real node in a process of its own, so that it can be killed. Ends in order on SIGTERM. */
import { startRealCluster } from './real-cluster.ts';

const { cluster } = await startRealCluster(process.argv[2]!, (event) => {
  if (event.type === 'note') console.log(`note ${event.message}`);
});
process.once('SIGTERM', () => void cluster.stop().then(() => process.exit(0)));
console.log('ready');
