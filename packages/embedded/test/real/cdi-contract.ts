import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '#process/port.ts';
import { recordOf } from '../contract/contract.ts';
import type { Source, World } from '../contract/scene.ts';
import { killImporter } from './cdi-importer.ts';
import { CdiStand, mebibyte, storageClass } from './cdi-stand.ts';

const small: readonly Source[] = ['too-small', 'overflowing'];

/** CDI and our storage driver, as the contract sees them. */
export async function realWorld(): Promise<World> {
  const stand = await CdiStand.open();
  const { server } = stand;
  const record = await recordOf(stand.cluster.connection());
  const { file } = await stand.disk('disk.qcow2', { sizeBytes: 64 * mebibyte, dataBytes: 4 * mebibyte });
  const padded = await stand.disk('padded.qcow2', { sizeBytes: 16 * mebibyte, dataBytes: mebibyte, paddingBytes: 64 * mebibyte });
  const words = join(dirname(file), 'words');
  writeFileSync(words, 'hello world');
  const missing = await stand.bucketUrl('disks/missing');
  const urls: Readonly<Record<Source, string>> = {
    good: server.put('good', file),
    held: server.put('held', file, { holdAfterBytes: mebibyte }),
    dying: server.put('dying', file, { holdAfterBytes: mebibyte }),
    'not-found': server.put('not-found', file, { status: 404 }),
    refused: `http://${stand.node.address}:${await freePort()}/disk`,
    cut: server.put('cut', file, { cutAfterBytes: 2 * mebibyte }),
    'not-an-image': server.put('not-an-image', words),
    'wrong-checksum': server.put('wrong-checksum', file),
    'too-small': server.put('too-small', file),
    overflowing: server.put('overflowing', padded.file),
    's3-missing': missing,
    's3-without-secret': missing,
  };
  return {
    record,
    storageClass,
    snapshotClass: storageClass,
    keys: stand.s3,
    source: (source) => {
      const fields = {
        url: urls[source],
        ...(source === 'wrong-checksum' ? { checksum: `sha256:${'0'.repeat(64)}` } : {}),
        ...(source === 's3-missing' ? { secretRef: 'keys' } : {}),
      };
      return {
        source: source.startsWith('s3-') ? { s3: fields } : { http: fields },
        storage: small.includes(source) ? '32Mi' : '128Mi',
      };
    },
    killImporter(pod) {
      killImporter(pod.metadata.uid);
      server.behave('dying', {});
    },
    [Symbol.asyncDispose]: async () => {
      await record[Symbol.asyncDispose]();
      await stand[Symbol.asyncDispose]();
    },
  };
}
