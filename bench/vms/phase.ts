/** What is measured: machines made by the operator, and the same objects applied by hand. */
import { setTimeout as delay } from 'node:timers/promises';
import type { VirtualMachine, VMDiskImage } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { Informers, type KubeObject, Resource, type ResourceType, systemClock } from '@terrain/runtime';
import type { RunningOperator, Stage } from '../images/measure/stage.ts';
import { types } from '../images/measure/types.ts';
import { countWrites, operatorWritesBetween } from './writes.ts';

const kind = (group: string, version: string, plural: string): ResourceType => ({ group, version, plural, namespaced: true });
const machines = kind('pelotech.ot', 'v1alpha1', 'virtualmachines');
const kubevirt = kind('kubevirt.io', 'v1', 'virtualmachines');
const secrets = kind('', 'v1', 'secrets');
/** Requests at the same time, and workers of the operator by default. */
const parallel = 32;
const patienceMs = 600_000;
const settleMs = 10_000;

/** What a machine is made of, in the order in which it is needed. */
const children = [
  { type: types.dataVolumes, apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume' },
  { type: secrets, apiVersion: 'v1', kind: 'Secret' },
  { type: kubevirt, apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' },
] as const;

interface Thing extends KubeObject {
  readonly status?: { readonly phase?: string; readonly printableStatus?: string };
}

/** An image that can be cloned, and policies that know machines: they answer 503 for a while after the kinds are new. */
export async function anImage(stage: Stage, namespace: string): Promise<VMDiskImage> {
  const probe = aVirtualMachine({ metadata: { name: 'probe', namespace } });
  for (let inARow = 0; inARow < 20; ) {
    const isTaken = await new Resource<VirtualMachine>(stage.api, machines).create(probe, { dryRun: true }).then(
      () => true,
      () => false,
    );
    inARow = isTaken ? inARow + 1 : 0;
    if (!isTaken) await delay(100, undefined, { signal: stage.signal });
  }
  await stage.createImages(namespace, 1);
  await using chronicle = await stage.chronicle(namespace);
  await chronicle.until('an image', 60_000, () => chronicle.countOf('Succeeded') === 1);
  return (await new Resource<VMDiskImage>(stage.api, types.images).list({ namespace })).items[0]!;
}

export interface Made {
  readonly seconds: number;
  readonly writes: ReadonlyMap<string, number>;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
  readonly idleRequests: number;
  readonly idleWrites: number;
  /** One machine's objects, as the operator made them. */
  readonly manifests: readonly KubeObject[];
}

/** From the first POST of a machine until all are Ready; then what a house full of them asks for. */
export async function made(stage: Stage, operator: RunningOperator, image: VMDiskImage, count: number): Promise<Made> {
  const { namespace = '', name } = image.metadata;
  const before = await countWrites(stage.api);
  const cpuBefore = operator.process.usage.cpuSeconds;
  const begun = performance.now();
  await eachOf(count, async (index) => {
    const vmDiskImageRef = { name, namespace: '' };
    const metadata = { name: `m-${index}`, namespace };
    await new Resource<VirtualMachine>(stage.api, machines).create(aVirtualMachine({ metadata, spec: { vmDiskImageRef } }));
  });
  await operator.process.during(reached(stage, machines, namespace, count, ({ status }) => status?.phase === 'Ready'));
  const seconds = (performance.now() - begun) / 1000;
  const { cpuSeconds, residentBytes, peakBytes } = operator.process.usage;
  await delay(settleMs, undefined, { signal: stage.signal });
  const settled = await countWrites(stage.api);
  const requests = await operator.requests();
  await delay(settleMs, undefined, { signal: stage.signal });
  const idleWrites = sum(operatorWritesBetween(settled, await countWrites(stage.api)));
  const idleRequests = (await operator.requests()) - requests;
  const manifests = await manifestsOf(stage, namespace, 'm-0');
  return {
    seconds,
    writes: operatorWritesBetween(before, settled),
    cpuSeconds: cpuSeconds - cpuBefore,
    residentBytes,
    peakBytes,
    idleRequests,
    idleWrites,
    manifests,
  };
}

export const sum = (writes: ReadonlyMap<string, number>): number => writes.values().reduce((all, count) => all + count, 0);

/** The floor: the same objects sent by a client that follows nothing, compares nothing and says nothing; the platform sorts out the order. */
export async function applied(stage: Stage, manifests: readonly KubeObject[], count: number): Promise<number> {
  const namespace = await stage.namespace();
  const resources = new Map<string, Resource<KubeObject>>(
    children.map(({ kind: named, type }) => [named, new Resource<KubeObject>(stage.api, type)]),
  );
  const begun = performance.now();
  await eachOf(count, async (index) => {
    for (const manifest of manifests) {
      const own = JSON.parse(JSON.stringify(manifest).replaceAll('m-0', `m-${index}`)) as KubeObject;
      await resources.get(own.kind)!.create({ ...own, metadata: { ...own.metadata, namespace } });
    }
  });
  await reached(stage, kubevirt, namespace, count, ({ status }) => status?.printableStatus === 'Running');
  return (performance.now() - begun) / 1000;
}

/** What the operator made for a machine, as somebody would write it down. */
async function manifestsOf(stage: Stage, namespace: string, machine: string): Promise<KubeObject[]> {
  const labelSelector = `pelotech.ot/virtualmachine=${machine}`;
  const found: KubeObject[] = [];
  for (const { type, apiVersion, kind: named } of children)
    for (const item of (await new Resource<KubeObject>(stage.api, type).list({ namespace }, { labelSelector })).items) {
      const { status: _, metadata, ...rest } = item as KubeObject & { status?: unknown };
      const { name = '', labels = {}, annotations = {} } = metadata;
      const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('cdi.kubevirt.io/')));
      // Lists of built-in kinds leave out what every item is.
      found.push({ ...rest, apiVersion, kind: named, metadata: { name, labels, annotations: kept } });
    }
  return found;
}

async function eachOf(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** Resolves when so many objects are so. */
async function reached(
  stage: Stage,
  type: ResourceType,
  namespace: string,
  count: number,
  isSo: (thing: Thing) => boolean,
): Promise<void> {
  const informers = new Informers({ api: stage.api, clock: systemClock, freeze: false });
  const there = new Set<string>();
  const all = Promise.withResolvers<void>();
  informers.get<Thing>(type, { namespace }).onChange((change) => {
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
    await all.promise;
  } finally {
    clearTimeout(timer);
    await informers.close();
  }
}
