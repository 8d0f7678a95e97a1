/** What is read of objects of foreign kinds. */
import type { Thing } from './record.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export function conditionOf(object: Thing | undefined, type: string): Condition | undefined {
  return (object?.status?.conditions as readonly Condition[] | undefined)?.find((condition) => condition.type === type);
}

/** A field of an object's status as text. */
export const statusOf = (object: Thing | undefined, field: string): string => String(object?.status?.[field] ?? '');

export const phaseOf = (object: Thing | undefined): string => statusOf(object, 'phase');

export const isPhase =
  (phase: string) =>
  (object: Thing): boolean =>
    phaseOf(object) === phase;
