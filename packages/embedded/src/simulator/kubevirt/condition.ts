import type { MachineCondition } from '../objects.ts';
import { timestamp } from '../time.ts';

export type Verdict = Pick<MachineCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions wanted, each with the instants of the present one where it says the same. */
export function mergeConditions(
  current: readonly MachineCondition[] | undefined,
  wanted: readonly Verdict[],
  nowMs: number,
): readonly MachineCondition[] {
  return wanted.map((verdict) => {
    const known = current?.find((condition) => condition.type === verdict.type);
    const isSame = known?.status === verdict.status && known?.reason === verdict.reason && known?.message === verdict.message;
    if (known !== undefined && isSame) return known;
    const now = timestamp(nowMs);
    const isFlipped = known?.status !== verdict.status;
    return { ...verdict, lastProbeTime: now, lastTransitionTime: isFlipped ? now : (known?.lastTransitionTime ?? now) };
  });
}

export function findCondition(conditions: readonly MachineCondition[] | undefined, type: string): MachineCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
