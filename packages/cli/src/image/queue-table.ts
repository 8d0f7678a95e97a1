import { humanBytes } from '../output/bytes.ts';
import { humanDuration } from '../output/duration.ts';
import { table } from '../output/table.ts';
import type { ActiveSync, Queue, WaitingSync } from './queue.ts';

/** With it a row fits into 80 columns unless the name of the image is long. */
const barWidth = 16;

/** The queue for people: what runs, how far it is, and who is next. */
export function renderQueue(queue: Queue, { nowMs, isWide }: { readonly nowMs: number; readonly isWide: boolean }): string {
  const { slots, problem, active, waiting, typicalSeconds, bytes } = queue;
  const typical = typicalSeconds === null ? '' : `; a download took about ${humanDuration(typicalSeconds * 1000)} lately`;
  const used = slots === null ? `Slots: unknown (${problem})` : `Slots: ${slots.used} of ${slots.limit} in use${typical}`;
  const isBusy = bytes.active + bytes.waiting > 0;
  const head = isBusy ? `${used}\nDisks: ${humanBytes(bytes.active)} under way, ${humanBytes(bytes.waiting)} waiting` : used;
  const pause = slots?.limit === 0 ? 'concurrency is 0 in the sync policy: nothing starts until it is raised.\n' : '';
  const rows = [
    ...active.map((sync) => activeRow(sync, nowMs, isWide)),
    ...waiting.map((sync) => waitingRow(sync, nowMs, isWide)),
  ];
  if (rows.length === 0) return `${head}\n${pause}Nothing is downloading and nothing waits.\n`;
  const wideHead = isWide ? ['SINCE', 'ATTEMPT', 'MESSAGE'] : [];
  const titles = ['POSITION', 'IMAGE', 'SIZE', 'PROGRESS', 'RATE', 'ENDS', ...wideHead];
  return `${head}\n${pause}${table([titles, ...rows])}`;
}

function activeRow(sync: ActiveSync, nowMs: number, isWide: boolean): string[] {
  const { image, state, since, size, progress, percentPerMinute, estimatedEnd, attempt } = sync;
  const rate = percentPerMinute === null ? '-' : `${percentPerMinute} %/min`;
  const cells = [
    'active',
    image,
    size ?? '-',
    bar(progress),
    rate,
    state === 'ending' ? 'being cleared away' : when(estimatedEnd, nowMs),
  ];
  return isWide ? [...cells, since ?? '-', String(attempt ?? '-'), size === null ? 'the image was deleted' : ''] : cells;
}

function waitingRow(sync: WaitingSync, nowMs: number, isWide: boolean): string[] {
  const { position, image, queuedAt, size, heldBackBy, message, estimatedStart, estimatedEnd } = sync;
  const start = estimatedStart === null ? '-' : `starts ${when(estimatedStart, nowMs)}`;
  const progress = heldBackBy === null ? start : `held back: ${heldBackBy}`;
  const cells = [String(position), image, size, progress, '-', when(estimatedEnd, nowMs)];
  return isWide ? [...cells, queuedAt ?? '-', '-', message] : cells;
}

/** `[######----------] 42%` */
export function bar(percent: number | null): string {
  if (percent === null) return `[${'-'.repeat(barWidth)}] -`;
  // Full only when it is: the last per cent may take long.
  const filled = Math.floor((percent / 100) * barWidth);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(percent)}%`;
}

function when(instant: string | null, nowMs: number): string {
  if (instant === null) return '-';
  const inMs = Date.parse(instant) - nowMs;
  return inMs < 1000 ? 'any moment' : `in ${humanDuration(inMs)}`;
}
