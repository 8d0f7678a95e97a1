/** The floor: the same objects sent by a client that follows nothing, compares nothing and says nothing; the platform sorts out the order. */
import type { VMDiskImage } from '@terrain/api';
import { type KubeObject, Resource } from '@terrain/runtime';
import type { Stage } from '../images/measure/stage.ts';
import { types } from '../images/measure/types.ts';
import { children, eachOf, kubevirt, reached, written } from './objects.ts';

/** The data of an image, made by hand in another cluster; `namespace` is where it is then. */
export async function copySource(from: Stage, { metadata, status }: VMDiskImage, to: Stage): Promise<string> {
  const namespace = await to.namespace();
  const steps = [
    { type: types.dataVolumes, name: status?.artifact?.dataVolume, isDone: 'phase', done: 'Succeeded' },
    { type: types.snapshots, name: status?.artifact?.volumeSnapshot, isDone: 'readyToUse', done: true },
  ] as const;
  for (const { type, name = '', isDone, done } of steps) {
    const found = await new Resource<KubeObject>(from.api, type).get({ name, namespace: metadata.namespace });
    const copy = written(found);
    await new Resource<KubeObject>(to.api, type).create({ ...copy, metadata: { ...copy.metadata, namespace } });
    await reached(to, type, namespace, 1, (thing) => thing.status?.[isDone] === done);
  }
  return namespace;
}

/** From the first POST until all run. `sources` says where the data of the images is in this cluster. */
export async function applied(
  stage: Stage,
  manifests: readonly KubeObject[],
  sources: { readonly from: string; readonly to: string },
  namespace: string,
  count: number,
): Promise<number> {
  const resources = new Map(children.map(({ kind, type }) => [kind as string, new Resource<KubeObject>(stage.api, type)]));
  const texts = manifests.map((manifest) => JSON.stringify(manifest).replaceAll(sources.from, sources.to));
  const begun = performance.now();
  await eachOf(count, async (index) => {
    for (const text of texts) {
      const own = JSON.parse(text.replaceAll('m-0', `m-${index}`)) as KubeObject;
      await resources.get(own.kind)!.create({ ...own, metadata: { ...own.metadata, namespace } });
    }
  });
  await reached(stage, kubevirt, namespace, count, ({ status }) => status?.printableStatus === 'Running');
  return (performance.now() - begun) / 1000;
}

/** All of it, until nothing is left. */
export async function clearAll(stage: Stage, namespace: string): Promise<void> {
  for (const { type } of children.toReversed()) {
    const resource = new Resource<KubeObject>(stage.api, type);
    const { items } = await resource.list({ namespace });
    await eachOf(items.length, async (index) => {
      await resource.delete({ name: items[index]?.metadata.name ?? '', namespace });
    });
    await reached(stage, type, namespace, 0, () => true);
  }
}
