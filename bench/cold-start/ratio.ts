/**
 * How much more work one of two is, by the seconds each took while both ran on the same machine.
 *
 * They share it until the first has ended; from then on the other has it alone and gets as much done in one second as before in two. So those seconds
 * count twice. Where a part of them is waiting for the network this says too much, never too little, of the slower one.
 */
export function ratioOfWork(oursSeconds: number, floorSeconds: number): number {
  const shared = Math.min(oursSeconds, floorSeconds);
  const workOf = (seconds: number): number => shared + 2 * (seconds - shared);
  return workOf(oursSeconds) / workOf(floorSeconds);
}
