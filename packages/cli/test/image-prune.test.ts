import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, ledgerManifest } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { at, Farm, failed, ready, type Seed } from './image-farm.ts';

const unused = { ...ready, references: 0, unreferencedSince: '2026-01-01T00:00:00Z' };
const fromTemplate = { metadata: { labels: { 'pelotech.ot/created-by': 'x' } }, status: unused };

/** A farm whose policy keeps template-made images for an hour and all others for ever. */
async function aFarm(): Promise<Farm> {
  const farm = await Farm.start();
  const policy = new Map([
    ['templateImageTTL', '1h'],
    ['unreferencedTTL', ''],
  ]);
  farm.fake.seed(ledgerManifest({ ...emptyLedger, policy }) as Seed);
  return farm;
}
const namesIn = async (farm: Farm): Promise<string[]> => (await farm.images.list({})).items.map(({ metadata }) => metadata.name);

test('a dry run says what would go and why, and writes nothing', async () => {
  await using farm = await aFarm();
  await farm.add(fromTemplate);
  await farm.add({ metadata: { name: 'preloaded' }, status: unused });
  const before = farm.fake.revision;
  const { code, stdout, stderr } = await farm.run('prune', '-n', 'farm', '--dry-run');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^IMAGE +FREES +WHY\nfarm\/debian +10 GiB +unused for \d+d, longer than 1h 00m \(templateImageTTL\)\n\n1 image can go: 10 GiB/,
  );
  assert.equal(farm.fake.revision, before);
});

test('without a terminal nothing is deleted unless --yes says so', async () => {
  await using farm = await aFarm();
  await farm.add(fromTemplate);
  const asked = await farm.run('prune', '-A');
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /^terrain: nobody can be asked here: give --yes .*\n$/);
  assert.deepEqual(await namesIn(farm), ['debian']);
  const { code, stdout } = await farm.run('prune', '-A', '--yes');
  assert.equal(code, 0);
  assert.match(stdout, /\nDeleted 1 image; the operator clears away 10 GiB of disks with their snapshots\.\n$/);
  assert.deepEqual(await namesIn(farm), []);
});

test('an image a machine refers to stays, also when its status does not know yet', async () => {
  await using farm = await aFarm();
  await farm.add(fromTemplate);
  farm.fake.seed(
    aVirtualMachine({
      metadata: { name: 'vm', namespace: 'sync-operator' },
      spec: { vmDiskImageRef: { ...at } },
    }) as unknown as Seed,
  );
  const { code, stdout } = await farm.run('prune', '-A', '--yes', '--older-than', '0s', '-o', 'wide');
  assert.equal(code, 0);
  assert.match(stdout, /farm\/debian +stays +used by sync-operator\/vm\n\nNothing to prune\. 1 stays: 1 in use\.\n$/);
  assert.deepEqual(await namesIn(farm), ['debian']);
});

test('for programs: what goes, what stays, and what became of it', async () => {
  await using farm = await aFarm();
  await farm.add({ status: { ...failed, references: 0, unreferencedSince: '2026-01-01T00:00:00Z' } });
  await farm.add({ metadata: { name: 'kept' }, spec: { retain: true }, status: unused });
  const shown = async (...args: string[]) =>
    JSON.parse((await farm.run('prune', '-n', 'farm', '--failed', '-o', 'json', ...args)).stdout);
  const image = { image: 'farm/debian', bytes: 0, why: 'given up (SourceNotFound)' };
  const kept = [{ image: 'farm/kept', kind: 'retained', why: 'spec.retain is true' }];
  assert.deepEqual(await shown('--dry-run'), { bytes: 0, going: [{ ...image, outcome: null }], kept });
  assert.deepEqual(await shown('--yes'), { bytes: 0, going: [{ ...image, outcome: 'deleted' }], kept });
});

test('without a ledger to read the age must be given', async () => {
  await using farm = await Farm.start();
  await farm.add(fromTemplate);
  const { code, stderr } = await farm.run('prune', '-A', '--dry-run');
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^terrain: how long unused images are kept is not known: there is no ConfigMap .*; give --older-than DURATION\.\n$/,
  );
  assert.match((await farm.run('prune', '-A', '--dry-run', '--older-than', '1h')).stdout, /^1 image can go/m);
});
