import { rename, stat } from 'node:fs/promises';

const maxBytes = 10 * 1024 * 1024;
const kept = 3;

/** Sets aside a log that has grown large: `x.log` becomes `x.log.1`, and so on; the oldest goes. Called while nobody writes. */
export async function rotateLog(path: string, limitBytes = maxBytes): Promise<void> {
  const size = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  if (size < limitBytes) return;
  for (let index = kept - 1; index >= 1; index--) await rename(`${path}.${index}`, `${path}.${index + 1}`).catch(() => {});
  await rename(path, `${path}.1`);
}
