import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process cannot let go of: bytes of objects and buffers after a full collection. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
