/** Guesses about the queue, from what took how long lately. */
import type { VMDiskImage } from '@terrain/api';

/** So many of the last downloads are looked at: networks and images change. */
const lately = 20;

/** How long a download takes, snapshot included: the median of the last successful ones. Undefined when there was none. */
export function typicalMs(images: readonly VMDiskImage[]): number | undefined {
  const tookMs = images
    .flatMap(({ status }) => status?.history ?? [])
    .filter(({ result }) => result === 'Succeeded')
    .map(({ started, ended }) => ({ ended: Date.parse(ended), tookMs: Date.parse(ended) - Date.parse(started) }))
    .filter((run) => run.tookMs >= 0)
    .sort((a, b) => b.ended - a.ended)
    .slice(0, lately)
    .map((run) => run.tookMs)
    .sort((a, b) => a - b);
  return tookMs[Math.floor((tookMs.length - 1) / 2)];
}

export interface Download {
  readonly startedMs: number;
  /** Per cent; undefined when none was reported. */
  readonly progress: number | undefined;
  /** When that progress was reported. */
  readonly reportedMs: number;
}

/** When a download ends if it goes on as it did so far, else after the typical time; undefined without a basis, or when that time has passed. */
export function estimatedEndMs(
  { startedMs, progress, reportedMs }: Download,
  typical: number | undefined,
  nowMs: number,
): number | undefined {
  if (progress === 100) return nowMs;
  const elapsedMs = reportedMs - startedMs;
  if (progress !== undefined && progress > 0 && elapsedMs > 0) return Math.max(nowMs, startedMs + (elapsedMs * 100) / progress);
  const endMs = typical === undefined ? undefined : startedMs + typical;
  return endMs !== undefined && endMs >= nowMs ? endMs : undefined;
}

/**
 * When each of so many waiting downloads starts, in order, given when the running ones end.
 *
 * Undefined from the first that has no basis on. Caveat: knows neither of namespace shares nor of failures.
 */
export function estimatedStarts(
  count: number,
  slots: { readonly limit: number; readonly endsMs: readonly (number | undefined)[] },
  typical: number | undefined,
  nowMs: number,
): (number | undefined)[] {
  const { limit, endsMs } = slots;
  const unknown = Number.POSITIVE_INFINITY;
  // After the limit was lowered, the first to end make room for nobody.
  const free = endsMs
    .map((end) => end ?? unknown)
    .sort((a, b) => a - b)
    .slice(Math.max(0, endsMs.length - limit));
  while (free.length < limit) free.unshift(nowMs);
  return Array.from({ length: count }, () => {
    const start = free.shift() ?? unknown;
    const end = typical === undefined ? unknown : start + typical;
    if (limit > 0) {
      const at = free.findIndex((other) => other > end);
      free.splice(at === -1 ? free.length : at, 0, end);
    }
    return start === unknown ? undefined : start;
  });
}
