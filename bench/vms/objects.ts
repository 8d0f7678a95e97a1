/** What both sides of the comparison work with. */
import { Informers, type KubeObject, type ResourceType, systemClock } from '@terrain/runtime';
import type { Stage } from '../images/measure/stage.ts';
import { types } from '../images/measure/types.ts';

const kind = (group: string, version: string, plural: string): ResourceType => ({ group, version, plural, namespaced: true });
export const machines = kind('pelotech.ot', 'v1alpha1', 'virtualmachines');
export const kubevirt = kind('kubevirt.io', 'v1', 'virtualmachines');
/** Requests at the same time, and workers of the operator by default. */
const parallel = 32;
const patienceMs = 600_000;

/** What a machine is made of, in the order in which it is needed. */
export const children = [
  { type: types.dataVolumes, apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume' },
  { type: kind('', 'v1', 'secrets'), apiVersion: 'v1', kind: 'Secret' },
  { type: kubevirt, apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' },
] as const;

export interface Thing extends KubeObject {
  readonly status?: { readonly phase?: string; readonly printableStatus?: string; readonly readyToUse?: boolean };
}

const wishes = new Set(['cdi.kubevirt.io/storage.bind.immediate.requested', 'cdi.kubevirt.io/allowClaimAdoption']);
/** Annotations of CDI that a person sets; others are its own notes, which it would have to make. */
export const isWish = (annotation: string): boolean => wishes.has(annotation);

/** An object as somebody would write it down: nothing that the server, the platform, its owner or its labels added. */
export function written({ metadata, ...rest }: KubeObject): KubeObject {
  const { status: _, ...kept } = rest as typeof rest & { status?: unknown };
  const { name = '', annotations = {} } = metadata;
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => isWish(key)));
  return { ...kept, metadata: { name, annotations: own } };
}

export async function eachOf(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** Resolves when so many objects of a namespace are so. */
export async function reached(
  { api }: Stage,
  type: ResourceType,
  namespace: string,
  count: number,
  isSo: (thing: Thing) => boolean,
): Promise<void> {
  const informers = new Informers({ api, clock: systemClock, freeze: false });
  const there = new Set<string>();
  const all = Promise.withResolvers<void>();
  const informer = informers.get<Thing>(type, { namespace });
  informer.onChange((change) => {
    if (change.type !== 'deleted' && isSo(change.new)) there.add(change.key);
    else there.delete(change.key);
    if (there.size === count) all.resolve();
  });
  const timer = setTimeout(
    () => all.reject(new Error(`${there.size} of ${count} ${type.plural} after ${patienceMs / 1000} s`)),
    patienceMs,
  );
  try {
    informers.start();
    await informers.synced();
    if (there.size === count) all.resolve();
    await all.promise;
  } finally {
    clearTimeout(timer);
    await informers.close();
  }
}
