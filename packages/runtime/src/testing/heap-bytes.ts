import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What of the heap is in use after a full collection.
 *
 * Caveats: buffers are not in it, whose memory goes back some time after a collection; all tests of a process share its heap, so only differences of
 * many megabytes mean something.
 */
export function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
