/** Machines made by the operator. */
import { setTimeout as delay } from 'node:timers/promises';
import type { VirtualMachine, VMDiskImage } from '@terrain/api';
import { aVirtualMachine } from '@terrain/api/testing';
import { type KubeObject, Resource } from '@terrain/runtime';
import type { RunningOperator, Stage } from '../images/measure/stage.ts';
import { types } from '../images/measure/types.ts';
import { children, eachOf, machines, reached, written } from './objects.ts';
import { countWrites, operatorWritesBetween, sum } from './writes.ts';

const settleMs = 10_000;

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
  readonly cpuSeconds: number;
  /** By how much the operator has grown. */
  readonly grownBytes: number;
  readonly writes: ReadonlyMap<string, number>;
}

/** From the first POST of a machine until all are Ready. */
export async function made(
  stage: Stage,
  operator: RunningOperator,
  { metadata }: VMDiskImage,
  namespace: string,
  count: number,
): Promise<Made> {
  const vmDiskImageRef = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const before = await countWrites(stage.api);
  const { cpuSeconds, residentBytes } = operator.process.usage;
  const begun = performance.now();
  await eachOf(count, async (index) => {
    const manifest = aVirtualMachine({ metadata: { name: `m-${index}`, namespace }, spec: { vmDiskImageRef } });
    await new Resource<VirtualMachine>(stage.api, machines).create(manifest);
  });
  await operator.process.during(reached(stage, machines, namespace, count, ({ status }) => status?.phase === 'Ready'));
  const seconds = (performance.now() - begun) / 1000;
  const { usage } = operator.process;
  // Events and counts of references are written a little later.
  await delay(settleMs, undefined, { signal: stage.signal });
  return {
    seconds,
    cpuSeconds: usage.cpuSeconds - cpuSeconds,
    grownBytes: usage.residentBytes - residentBytes,
    writes: operatorWritesBetween(before, await countWrites(stage.api)),
  };
}

/** What a house full of machines asks for when nothing happens. */
export async function atRest(stage: Stage, operator: RunningOperator): Promise<{ requests: number; writes: number }> {
  const writes = await countWrites(stage.api);
  const requests = await operator.requests();
  await delay(settleMs, undefined, { signal: stage.signal });
  const made = sum(operatorWritesBetween(writes, await countWrites(stage.api)));
  return { requests: (await operator.requests()) - requests, writes: made };
}

/** All machines of a namespace, until nothing is left of them. */
export async function removeAll(stage: Stage, namespace: string, count: number): Promise<void> {
  await eachOf(count, async (index) => {
    await new Resource<VirtualMachine>(stage.api, machines).delete({ name: `m-${index}`, namespace });
  });
  await reached(stage, machines, namespace, 0, () => true);
}

/** What the operator made for a machine. */
export async function manifestsOf(stage: Stage, namespace: string, machine: string): Promise<KubeObject[]> {
  const labelSelector = `pelotech.ot/virtualmachine=${machine}`;
  const found: KubeObject[] = [];
  // Lists of built-in kinds leave out what every item is.
  for (const { type, apiVersion, kind } of children)
    for (const item of (await new Resource<KubeObject>(stage.api, type).list({ namespace }, { labelSelector })).items)
      found.push({ ...written(item), apiVersion, kind });
  return found;
}
