/** What CDI adds to a disk on a Filesystem volume: 6 % (pkg/common/common.go, DefaultGlobalOverhead), images aligned to 1 MiB. */
const overhead = 0.06;
const alignment = 2 ** 20;

/** The size of the claim for a disk of this size (pkg/util/util.go, GetRequiredSpace). */
export function inflate(diskBytes: number): number {
  return Math.ceil(Math.ceil(diskBytes / alignment) * alignment * (1 + overhead));
}
