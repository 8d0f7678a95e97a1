/** Where an image stands in the global queue. */
export type Place = {
  /** Since when it has its place, in milliseconds since 1970 by the API server's clock. */
  readonly queuedAtMs: number;
  /** The resource version at which the image was first seen; decides within one second, since creation times have whole seconds. */
  readonly ticket: bigint;
  /** `namespace/name`: decides where all else is equal, so that every process computes the same order. */
  readonly key: string;
};

/** The order of the queue: negative when `a` comes first. Total: two places are equal only if they are the same image's. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.queuedAtMs !== b.queuedAtMs) return a.queuedAtMs - b.queuedAtMs;
  if (a.ticket !== b.ticket) return a.ticket < b.ticket ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** The number a ticket stands for; one that was damaged by hand counts as the oldest. */
export function parseTicket(text: string | undefined): bigint {
  return text !== undefined && /^[0-9]{1,20}$/.test(text) ? BigInt(text) : 0n;
}
