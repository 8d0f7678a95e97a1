import type { VMDiskImage } from '@terrain/api';
import { keyOf } from './state.ts';

/** The order of the global queue: since when, then the ticket as a number, then the name. */
export function comparePlaces(a: VMDiskImage, b: VMDiskImage): number {
  const [first, second] = [placeOf(a), placeOf(b)];
  if (first.queuedAtMs !== second.queuedAtMs) return first.queuedAtMs - second.queuedAtMs;
  if (first.ticket !== second.ticket) return first.ticket < second.ticket ? -1 : 1;
  return first.key < second.key ? -1 : first.key > second.key ? 1 : 0;
}

/** An image the operator has not seen yet will get its place by its creation. */
function placeOf(image: VMDiskImage): { readonly queuedAtMs: number; readonly ticket: bigint; readonly key: string } {
  const { metadata, status } = image;
  const ticket = status?.ticket ?? metadata.resourceVersion ?? '';
  return {
    queuedAtMs: Date.parse(status?.queuedAt ?? metadata.creationTimestamp ?? '') || 0,
    ticket: /^[0-9]{1,20}$/.test(ticket) ? BigInt(ticket) : 0n,
    key: keyOf(image),
  };
}
