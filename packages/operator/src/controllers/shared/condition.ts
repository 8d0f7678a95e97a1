/** From findings to conditions as they are stored. */
import type { Condition } from '@terrain/api';
import type { Finding } from './finding.ts';

export interface ConditionContext {
  /** Those of the status so far. */
  readonly before: readonly Condition[];
  readonly generation: number | undefined;
  /** The API server's clock. */
  readonly nowMs: number;
  /** Characters of a message; the rest is left out. */
  readonly longest: number;
}

/** A condition keeps the time of its last transition as long as its status stays. */
export function conditionOf(
  type: string,
  { status, reason, message }: Finding<string>,
  { before, generation, nowMs, longest }: ConditionContext,
): Condition {
  const known = before.find((condition) => condition.type === type);
  return {
    type,
    status,
    reason,
    message: cut(message, longest),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : toInstant(nowMs),
  };
}

/** A text that fits; one that was cut shows it. */
export const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** Conditions have whole seconds. */
const toInstant = (ms: number): string => new Date(ms - (ms % 1000)).toISOString().replace('.000Z', 'Z');

/** The time a status or metadata names; undefined when it names none. */
export function instantMs(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
