import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CdiStand, mebibyte, storageClass } from './cdi-stand.ts';
import { contract, type Source } from './contract.ts';
import { ContractRecord } from './contract-record.ts';

contract('CDI and our storage driver', async () => {
  const stand = await CdiStand.open();
  const record = await ContractRecord.open(stand.cluster.connection());
  const { file } = await stand.disk('disk.qcow2', { sizeBytes: 64 * mebibyte, dataBytes: 4 * mebibyte });
  const words = join(dirname(file), 'words');
  writeFileSync(words, 'hello world');
  const urls: Readonly<Record<Source, string>> = {
    good: stand.server.put('good', file),
    slow: stand.server.put('slow', file, { bytesPerSecond: 64 * 1024 }),
    'not-found': stand.server.put('not-found', file, { status: 404 }),
    cut: stand.server.put('cut', file, { cutAfterBytes: 2 * mebibyte }),
    'not-an-image': stand.server.put('not-an-image', words),
    'wrong-checksum': stand.server.put('wrong-checksum', file),
    'too-small': stand.server.put('too-small', file),
  };
  return {
    record,
    storageClass,
    snapshotClass: storageClass,
    source: (source) => ({
      http: { url: urls[source], ...(source === 'wrong-checksum' ? { checksum: `sha256:${'0'.repeat(64)}` } : {}) },
      storage: source === 'too-small' ? '32Mi' : '128Mi',
    }),
    [Symbol.asyncDispose]: async () => {
      await record[Symbol.asyncDispose]();
      await stand[Symbol.asyncDispose]();
    },
  };
});
