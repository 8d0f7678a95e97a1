/**
 * Time as the state machines see it. They think in milliseconds of the real platform; `speed` says how many of those pass in one of
 * ours, so a timeline is written once, with the figures that were observed.
 */
export interface Time {
  readonly nowMs: number;
  readonly speed: number;
}

/** Platform milliseconds since an instant of ours; undefined when there is no such instant. */
export function elapsedMs(time: Time, sinceMs: number): number {
  return Math.max(0, (time.nowMs - sinceMs) * time.speed);
}

/** The instant of ours at which a timeline that began at `sinceMs` reaches this offset; undefined for never. */
export function instantOf(time: Time, sinceMs: number, offsetMs: number): number | undefined {
  return Number.isFinite(offsetMs) ? Math.ceil(sinceMs + offsetMs / time.speed) : undefined;
}

/** As the API writes instants: whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** An instant noted in an annotation. */
export function readInstant(annotations: Readonly<Record<string, string>> | undefined, name: string): number | undefined {
  const value = Number(annotations?.[name] ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}
