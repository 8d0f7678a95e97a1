import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '#csi/command.ts';
import { freeMachine } from './node-stand.ts';
import { ensureProgram, rootTest } from './root.ts';
import { blockCapability, mebibyte, newDirectory, Stand } from './stand.ts';

const dataBytes = 128 * mebibyte;

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

rootTest('where the file system shares blocks, snapshots and clones take up no space of their own', async (t) => {
  await ensureProgram('/usr/sbin/mkfs.xfs', 'xfsprogs');
  const outer = newDirectory();
  const inner = join(outer, 'xfs');
  t.after(async () => {
    await freeMachine(outer);
    rmSync(outer, { recursive: true, force: true });
  });
  mkdirSync(inner);
  writeFileSync(join(outer, 'disk'), '');
  await truncate(join(outer, 'disk'), 1024 * mebibyte);
  await runCommand('mkfs.xfs', ['-q', '-m', 'reflink=1', join(outer, 'disk')]);
  await runCommand('mount', ['-o', 'loop', join(outer, 'disk'), inner]);
  const used = () => {
    const { blocks, bfree, bsize } = statfsSync(inner);
    return (blocks - bfree) * bsize;
  };

  const stand = await Stand.open(inner);
  try {
    const capacityRange = { requiredBytes: dataBytes };
    const volumeCapabilities = [blockCapability];
    const { volumeId } = await stand.createVolume('source', { capacityRange, volumeCapabilities });
    writeFileSync(stand.image('volumes', volumeId), Buffer.alloc(dataBytes, 'data'));
    await runCommand('sync', ['--file-system', inner]);
    const usedBefore = used();
    const { snapshotId } = await stand.createSnapshot('cut', volumeId);
    const volumeContentSource = { snapshot: { snapshotId } };
    const copies = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => stand.createVolume(name, { capacityRange, volumeCapabilities, volumeContentSource })),
    );
    assert.ok(used() - usedBefore < dataBytes / 4, `five copies of ${dataBytes} bytes took ${used() - usedBefore}`);
    const want = await sha256(stand.image('volumes', volumeId));
    for (const copy of copies) assert.equal(await sha256(stand.image('volumes', copy.volumeId)), want);
  } finally {
    await stand.close();
  }
});
