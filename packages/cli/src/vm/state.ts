/** What the status of a machine says about the spec it has now, as opposed to one it had before. */
import { annotations, type Condition, isUnseen, labels, type VirtualMachine } from '@terrain/api';
import { plain } from '../output/plain.ts';
import type { Verdict } from '../output/verdict.ts';

/** `namespace/name`. */
export const keyOf = ({ metadata }: VirtualMachine): string => `${metadata.namespace}/${metadata.name}`;

/** What the spec asks of the power. */
export const wantedPower = ({ spec }: VirtualMachine): 'Running' | 'Stopped' =>
  spec.powerState ?? (spec.ignoreOnDeploy === true ? 'Stopped' : 'Running');

/** Whether the status is about the spec the machine has now. */
export const isCurrent = ({ metadata, status }: VirtualMachine): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);

/**
 * Whether to go on waiting for a machine.
 *
 * Guarantees: a status from before the last change of the spec counts neither as ready nor as failed.
 */
export function judge(machine: VirtualMachine): Verdict {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'gaveUp', message: 'it is being deleted' };
  if (status === undefined || isUnseen(machine)) return { kind: 'waiting', message: 'the operator has not seen it yet' };
  if (!isCurrent(machine)) return { kind: 'waiting', message: 'the operator has not seen its latest change yet' };
  const message = plain(status.message ?? '');
  if (conditionOf(machine, 'Ready')?.status === 'True') return { kind: 'ready' };
  if (status.phase === 'Failed') return { kind: 'gaveUp', message: message || 'it failed' };
  return { kind: 'waiting', message: message || status.phase || 'no word from the operator' };
}

export function conditionOf({ status }: VirtualMachine, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** What a person who changes the machine should know before wondering why nothing happens, or not for long. */
export function cautions({ metadata }: VirtualMachine): readonly string[] {
  const isPaused = metadata.annotations?.[annotations.paused] === 'true';
  const workspace =
    metadata.ownerReferences?.find(({ kind }) => kind === 'Workspace')?.name ?? metadata.labels?.[labels.workspace];
  return [
    ...(isPaused ? [`it is paused: nothing happens until the annotation ${annotations.paused} is removed`] : []),
    ...(workspace === undefined
      ? []
      : [`it belongs to the Workspace ${plain(workspace)}: what that says about this machine counts in the end`]),
  ];
}
