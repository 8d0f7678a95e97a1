/** Labs stood up and torn down by the operator. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Workspace } from '@terrain/api';
import { type KubeObject, Resource } from '@terrain/runtime';
import type { RunningOperator, Stage } from '../images/measure/stage.ts';
import { isWish } from '../vms/objects.ts';
import { countWrites } from '../vms/writes.ts';
import { children, namespaces, workspaces } from './kinds.ts';
import { aLab, labName, labNamespace } from './lab.ts';
import { eachOf, isOfLab, reached } from './until.ts';
import { type LabWrites, labWritesBetween } from './writes.ts';

const settleMs = 10_000;

export interface StoodUp {
  readonly seconds: number;
  readonly writes: LabWrites;
  /** Objects the operator made that are there. */
  readonly objects: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
  readonly idleWrites: number;
  readonly idleRequests: number;
  /** The objects of one lab, as the operator made them. */
  readonly manifests: readonly KubeObject[];
}

/** From the first POST of a workspace until all are Ready; then what a house full of them asks for. */
export async function standUp(stage: Stage, operator: RunningOperator, count: number): Promise<StoodUp> {
  const before = await countWrites(stage.api);
  const cpuBefore = operator.process.usage.cpuSeconds;
  const begun = performance.now();
  const resource = new Resource<Workspace>(stage.api, workspaces);
  await eachOf(count, async (index) => void (await resource.create(aLab(index))));
  await operator.process.during(reached<Workspace>(stage, workspaces, count, ({ status }) => status?.phase === 'Ready'));
  const seconds = (performance.now() - begun) / 1000;
  const { cpuSeconds, residentBytes, peakBytes } = operator.process.usage;
  await delay(settleMs, undefined, { signal: stage.signal });
  const settled = await countWrites(stage.api);
  const requests = await operator.requests();
  await delay(settleMs, undefined, { signal: stage.signal });
  const { children: changed, status, others } = labWritesBetween(settled, await countWrites(stage.api));
  return {
    seconds,
    writes: labWritesBetween(before, settled),
    objects: await objectsOf(stage, count),
    cpuSeconds: cpuSeconds - cpuBefore,
    residentBytes,
    peakBytes,
    idleWrites: changed + status + others,
    idleRequests: (await operator.requests()) - requests,
    manifests: await manifestsOf(stage),
  };
}

/** Namespaces, and what the operator put into them. */
async function objectsOf({ api }: Stage, count: number): Promise<number> {
  let found = count;
  for (const { type, kind } of children) {
    const { items } = await new Resource<KubeObject>(api, type).list();
    found += items.filter((object) => isOfLab(object) && isMade(object, kind)).length;
  }
  return found;
}

/** Claims of DataVolumes are the platform's. */
const isMade = ({ metadata }: KubeObject, kind: string): boolean =>
  kind !== 'PersistentVolumeClaim' || metadata.ownerReferences?.some((owner) => owner.kind === 'Workspace') === true;

/** What the API server and the controllers of Kubernetes put into a spec. */
const assigned = new Set(['clusterIP', 'clusterIPs', 'volumeName']);

/** What the operator made for the first lab, as somebody would write it down. */
async function manifestsOf({ api }: Stage): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for (const { type, apiVersion, kind } of children) {
    const { items } = await new Resource<KubeObject>(api, type).list({ namespace: labNamespace(0) });
    for (const item of items.filter((object) => isMade(object, kind))) {
      const { status: _, metadata, ...rest } = item as KubeObject & { status?: unknown; spec?: object };
      const spec = Object.fromEntries(Object.entries(rest.spec ?? {}).filter(([field]) => !assigned.has(field)));
      const { name = '', labels = {}, annotations = {} } = metadata;
      const kept = Object.fromEntries(
        Object.entries(annotations).filter(([key]) => isWish(key) || key.startsWith('pelotech.ot/')),
      );
      // Lists of built-in kinds leave out what every item is.
      const written = { ...rest, ...(rest.spec === undefined ? {} : { spec }), apiVersion, kind };
      found.push({ ...written, metadata: { name, labels, annotations: kept } });
    }
  }
  return found;
}

/** From the first DELETE until no workspace and none of their namespaces is left. */
export async function tearDown(stage: Stage, operator: RunningOperator, count: number): Promise<number> {
  const begun = performance.now();
  const resource = new Resource<Workspace>(stage.api, workspaces);
  await eachOf(count, async (index) => void (await resource.delete({ name: labName(index) })));
  await operator.process.during(reached(stage, workspaces, 0, () => true));
  await reached(stage, namespaces, 0, isOfLab);
  return (performance.now() - begun) / 1000;
}
