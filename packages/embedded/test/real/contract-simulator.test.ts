import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { testCluster } from '@terrain/embedded/testing';
import { defaultScenario } from '#simulator/scenario/scenario.ts';
import { startSimulator } from '#simulator/simulator.ts';
import { contract, type Source } from './contract.ts';
import { ContractRecord } from './contract-record.ts';

const switches: Readonly<Record<Source, string>> = {
  good: 'size:64Mi',
  slow: 'import:10m',
  'not-found': 'http:404',
  cut: 'cut',
  'not-an-image': 'not-an-image',
  'wrong-checksum': `digest:sha256:${'a'.repeat(64)}`,
  'too-small': 'size:64Mi',
};

contract('the simulator', async () => {
  const cluster = await testCluster({ controllerManager: true });
  const connection = cluster.connection();
  await installDefinitions(connection, (await ensureUpstream()).definitions);
  const simulator = await startSimulator({
    connection,
    scenario: { ...defaultScenario, speed: 5 },
    onTrouble: (sentence) => process.env.TERRAIN_TEST_LOG === undefined || console.error(sentence),
  });
  const record = await ContractRecord.open(connection);
  return {
    record,
    storageClass: 'gp3',
    snapshotClass: 'ebs-snapshot',
    source: (source) => ({
      http: {
        url: `https://images.example.com/disk.qcow2?sim=${switches[source]}`,
        ...(source === 'wrong-checksum' ? { checksum: `sha256:${'0'.repeat(64)}` } : {}),
      },
      storage: source === 'too-small' ? '32Mi' : '128Mi',
    }),
    [Symbol.asyncDispose]: async () => {
      await record[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
});
