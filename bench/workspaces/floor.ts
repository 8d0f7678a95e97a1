/** The floor: the same objects sent, and deleted, by a client that follows nothing, compares nothing and says nothing. */
import type { VMDiskImage } from '@terrain/api';
import { type KubeObject, Resource } from '@terrain/runtime';
import type { Stage } from '../images/measure/stage.ts';
import { children, claims, dataVolumes, deployments, machines, namespaces } from './kinds.ts';
import { labName, labNamespace } from './lab.ts';
import { eachOf, isOfLab, reached } from './until.ts';

interface Deployment extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly availableReplicas?: number };
}

interface WithPhase extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export interface Floor {
  readonly up: number;
  readonly down: number;
}

/** `made` are the objects of the first lab as the operator made them on another cluster, `former` the image they were made of there. */
export async function applyByHand(
  stage: Stage,
  made: readonly KubeObject[],
  { former, image }: { readonly former: VMDiskImage; readonly image: VMDiskImage },
  count: number,
): Promise<Floor> {
  // Nobody acts on the machines themselves; what they consist of is among the rest.
  const rest = made.filter(({ apiVersion }) => apiVersion !== machines.apiVersion);
  const snapshotOf = ({ status }: VMDiskImage): string => status?.artifact?.volumeSnapshot ?? '';
  const resources = new Map(
    children.map(({ apiVersion, kind, type }) => [`${apiVersion} ${kind}`, new Resource<KubeObject>(stage.api, type)]),
  );
  const spaces = new Resource<KubeObject>(stage.api, namespaces);
  const text = JSON.stringify(rest).replaceAll(snapshotOf(former), snapshotOf(image));
  const begun = performance.now();
  await eachOf(count, async (index) => {
    const namespace = labNamespace(index);
    await spaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const manifest of JSON.parse(text.replaceAll(labName(0), labName(index))) as KubeObject[])
      await resources
        .get(`${manifest.apiVersion} ${manifest.kind}`)!
        .create({ ...manifest, metadata: { ...manifest.metadata, namespace } });
  });
  const of = (kind: string): number => count * rest.filter((object) => object.kind === kind).length;
  const isAvailable = ({ spec, status }: Deployment): boolean => (status?.availableReplicas ?? 0) === (spec?.replicas ?? 1);
  const isIn = (phase: string) => (object: WithPhase) => isOfLab(object) && object.status?.phase === phase;
  await reached<Deployment>(stage, deployments.type, of('Deployment'), (object) => isOfLab(object) && isAvailable(object));
  await reached<WithPhase>(stage, dataVolumes.type, of('DataVolume'), isIn('Succeeded'));
  await reached<WithPhase>(stage, claims.type, of('PersistentVolumeClaim') + of('DataVolume'), isIn('Bound'));
  const up = (performance.now() - begun) / 1000;
  const leaving = performance.now();
  await eachOf(count, async (index) => void (await spaces.delete({ name: labNamespace(index) })));
  await reached(stage, namespaces, 0, isOfLab);
  return { up, down: (performance.now() - leaving) / 1000 };
}
