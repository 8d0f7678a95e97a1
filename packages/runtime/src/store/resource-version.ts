/**
 * Order of two resource versions of one kind in one cluster: negative when `a` is older.
 *
 * Assumptions: decimal integers without leading zeros, which the API guarantees since Kubernetes 1.35; then the longer one is the larger, and
 * versions of equal length compare as text. That is the integer order without making integers.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
