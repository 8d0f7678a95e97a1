/** ResourceQuotas: when there may be room where there was none. */
import { quantityInNanos } from '@terrain/api';
import type { Change, KubeObject, ResourceType } from '@terrain/runtime';

export const quotaType: ResourceType = { group: '', version: 'v1', plural: 'resourcequotas', namespaced: true };

type Amounts = Readonly<Record<string, string | number>>;

export interface ResourceQuota extends KubeObject {
  readonly spec?: { readonly hard?: Amounts };
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts };
}

/** Whether something that was refused before may fit after this change. One that only fills up further is no news to who waits. */
export function leavesRoom(change: Change<ResourceQuota>): boolean {
  if (change.type === 'deleted') return true;
  if (change.type === 'added') return false;
  const room = roomOf(change.new);
  return Object.entries(roomOf(change.old)).some(([what, before]) => (room[what] ?? before + 1n) > before);
}

/** What is left of each amount; one nobody has counted yet counts as unused. */
function roomOf({ spec, status }: ResourceQuota): Readonly<Record<string, bigint>> {
  const hard = status?.hard ?? spec?.hard ?? {};
  return Object.fromEntries(
    Object.entries(hard).map(([what, most]) => [what, amount(most) - amount(status?.used?.[what] ?? '0')]),
  );
}

const amount = (quantity: string | number): bigint => quantityInNanos(String(quantity)) ?? 0n;
