import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { runCommand } from '#csi/command.ts';
import { crashEverywhere, type Story } from './crash.ts';
import { blockCapability, mountCapability, type Stand, size } from './stand.ts';

const mount = { capacityRange: { requiredBytes: size }, volumeCapabilities: [mountCapability] };
const block = { capacityRange: { requiredBytes: size }, volumeCapabilities: [blockCapability] };

async function markedVolume(stand: Stand): Promise<string> {
  const { volumeId } = await stand.createVolume('source', block);
  stand.mark(volumeId, 'data');
  return volumeId;
}

async function markedSnapshot(stand: Stand): Promise<{ volumeId: string; snapshotId: string }> {
  const volumeId = await markedVolume(stand);
  const { snapshotId } = await stand.createSnapshot('cut', volumeId);
  return { volumeId, snapshotId };
}

function bytesOf(stand: Stand, kind: 'volumes' | 'snapshots', id: string): Buffer {
  return readFileSync(stand.image(kind, id));
}

function requireCopy(stand: Stand, sourceId: string): void {
  const [copyId] = stand.kept().volumes.filter((id) => id !== sourceId);
  assert.equal(stand.kept().volumes.length, 2);
  const copy = bytesOf(stand, 'volumes', copyId!);
  assert.ok(copy.subarray(0, size).equals(bytesOf(stand, 'volumes', sourceId)), 'the copy has the bytes of its source');
  assert.equal(copy.length, 2 * size);
}

/** Erased, because stories differ in what is given. */
type Told = { readonly steps: number; readonly tell: () => Promise<number> };
const told = <Given>(steps: number, story: Story<Given>): Told => ({ steps, tell: () => crashEverywhere(story) });

const stories: Record<string, Told> = {
  'creating a volume': told(5, {
    prepare: async () => {},
    request: () => ['createVolume', { name: 'new', ...mount }],
    check: async (stand) => {
      const [id, ...others] = stand.kept().volumes;
      assert.deepEqual(others, []);
      await runCommand('e2fsck', ['-n', '-f', stand.image('volumes', id!)]);
    },
  }),
  'taking a snapshot': told(4, {
    prepare: markedVolume,
    request: (sourceVolumeId) => ['createSnapshot', { name: 'cut', sourceVolumeId }],
    check: (stand, volumeId) => {
      const [id, ...others] = stand.kept().snapshots;
      assert.deepEqual(others, []);
      assert.ok(bytesOf(stand, 'snapshots', id!).equals(bytesOf(stand, 'volumes', volumeId)));
    },
  }),
  'restoring a snapshot to a larger volume': told(5, {
    prepare: markedSnapshot,
    request: ({ snapshotId }) => [
      'createVolume',
      { name: 'copy', ...block, capacityRange: { requiredBytes: 2 * size }, volumeContentSource: { snapshot: { snapshotId } } },
    ],
    check: (stand, { volumeId }) => requireCopy(stand, volumeId),
  }),
  'cloning a volume': told(5, {
    prepare: markedVolume,
    request: (volumeId) => [
      'createVolume',
      { name: 'copy', ...block, capacityRange: { requiredBytes: 2 * size }, volumeContentSource: { volume: { volumeId } } },
    ],
    check: requireCopy,
  }),
  'expanding a volume': told(1, {
    prepare: markedVolume,
    request: (volumeId) => ['controllerExpandVolume', { volumeId, capacityRange: { requiredBytes: 2 * size } }],
    check: (stand, volumeId) => {
      const bytes = bytesOf(stand, 'volumes', volumeId);
      assert.equal(bytes.length, 2 * size);
      assert.equal(bytes.toString('utf8', 4096, 4100), 'data');
    },
  }),
  'deleting a volume': told(2, {
    prepare: markedSnapshot,
    request: ({ volumeId }) => ['deleteVolume', { volumeId }],
    check: (stand, { snapshotId }) => assert.deepEqual(stand.kept(), { volumes: [], snapshots: [snapshotId], work: [] }),
  }),
  'deleting a snapshot': told(2, {
    prepare: markedSnapshot,
    request: ({ snapshotId }) => ['deleteSnapshot', { snapshotId }],
    check: (stand, { volumeId }) => assert.deepEqual(stand.kept(), { volumes: [volumeId], snapshots: [], work: [] }),
  }),
};

describe('killed at every step, started again and asked again, the driver has the whole result and nothing else', {
  concurrency: 2,
}, () => {
  for (const [name, { steps, tell }] of Object.entries(stories)) {
    test(name, async () => assert.equal(await tell(), steps, 'the number of steps is known, so none was missed'));
  }
});
