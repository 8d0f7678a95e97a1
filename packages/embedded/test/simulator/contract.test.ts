import { defaultScenario } from '#simulator/scenario/scenario.ts';
import { startSimulator } from '#simulator/simulator.ts';
import { contract, recordOf } from '../contract/contract.ts';
import type { Source } from '../contract/scene.ts';
import { platform } from './stage.ts';

const switches: Readonly<Record<Source, string>> = {
  good: 'size:64Mi',
  held: 'stall:25',
  dying: 'restarts:1',
  'not-found': 'http:404',
  refused: 'refused',
  cut: 'cut',
  'not-an-image': 'not-an-image',
  'wrong-checksum': `digest:sha256:${'a'.repeat(64)}`,
  'too-small': 'size:64Mi',
  overflowing: 'size:16Mi;bytes:64Mi',
  's3-missing': 's3:NoSuchKey',
  's3-without-secret': '',
};
const small: readonly Source[] = ['too-small', 'overflowing'];

contract('the simulator', 8, async () => {
  const connection = (await platform()).connection();
  const simulator = await startSimulator({
    connection,
    scenario: { ...defaultScenario, speed: 5 },
    onTrouble: (sentence) => process.env.TERRAIN_TEST_LOG === undefined || console.error(sentence),
  });
  const record = await recordOf(connection);
  return {
    record,
    storageClass: 'gp3',
    snapshotClass: 'ebs-snapshot',
    keys: { accessKeyId: 'a', secretKey: 'b' },
    source(source) {
      const [kind, path] = source.startsWith('s3-') ? ['s3', 'disks/missing'] : ['http', 'disk.qcow2'];
      const fields = {
        url: `https://images.example.com/${path}?sim=${switches[source]}`,
        ...(source === 'wrong-checksum' ? { checksum: `sha256:${'0'.repeat(64)}` } : {}),
        ...(source === 's3-missing' ? { secretRef: 'keys' } : {}),
      };
      return { source: { [kind]: fields }, storage: small.includes(source) ? '32Mi' : '128Mi' };
    },
    killImporter: () => undefined,
    [Symbol.asyncDispose]: async () => {
      await record[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
});
