import assert from 'node:assert/strict';
import type { VMDiskImage, VMDiskImageSpec } from '@terrain/api';
import { aVMDiskImage, type Override } from '@terrain/api/testing';
import { setSyncPolicy, startOperator } from '@terrain/embedded/testing';
import type { DiskFile } from '#real/platform/disk-file.ts';
import { diskIn } from './cdi-look.ts';
import { CdiStand, mebibyte, storageClass, type Thing, types } from './cdi-stand.ts';

/** How the operator works unless a test says otherwise. */
export const usualPolicy = {
  concurrency: '20',
  retryLimit: '1',
  retryBackoffDuration: '1s',
  allowInternalSources: 'true',
};

/** What is sent before anybody could look at it: the importer opens a download to see whether there is a disk, and the network takes some of it. */
export const lookBytes = 8 * mebibyte;

/** A stand with the operator at work, two disks to download, and what is done with images of them. */
export class ImageStage implements AsyncDisposable {
  readonly stand: CdiStand;
  readonly small: DiskFile;
  /** Of 100 MB. */
  readonly large: DiskFile;

  private constructor(stand: CdiStand, small: DiskFile, large: DiskFile) {
    this.stand = stand;
    this.small = small;
    this.large = large;
  }

  static async open(): Promise<ImageStage> {
    const stand = await CdiStand.open();
    await startOperator(stand.cluster);
    await setSyncPolicy(stand.cluster, usualPolicy);
    const small = await stand.disk('small.qcow2', { sizeBytes: 64 * mebibyte, dataBytes: 4 * mebibyte });
    const large = await stand.disk('large.qcow2', { sizeBytes: 128 * mebibyte, dataBytes: 100 * mebibyte });
    return new ImageStage(stand, small, large);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stand[Symbol.asyncDispose]();
  }

  find(namespace: string, name: string): VMDiskImage | undefined {
    return this.stand.find(types.images, namespace, name) as VMDiskImage | undefined;
  }

  async create(namespace: string, name: string, spec: Override<VMDiskImageSpec>): Promise<void> {
    const metadata = { name, namespace };
    const object = aVMDiskImage({ metadata, spec: { diskSize: '128Mi', storageClass, sourceType: 'http', ...spec } });
    await this.stand.resource<VMDiskImage>(types.images).create(object);
  }

  ready(namespace: string, name: string): Promise<VMDiskImage> {
    return this.ended(namespace, name, 'Succeeded');
  }

  /** The image once Ready gives one of the reasons. */
  ended(namespace: string, name: string, ...reasons: readonly string[]): Promise<VMDiskImage> {
    return this.stand.until(
      `${namespace}/${name} to be ${reasons.join(' or ')}`,
      () => {
        const image = this.find(namespace, name);
        return reasons.includes(reasonOf(image)) ? image : undefined;
      },
      () => [this.find(namespace, name)?.status, this.stand.list(types.dataVolumes, namespace).map(({ status }) => status)],
    );
  }

  /** What a disk cloned from an image of the small disk holds, in a namespace that has nothing to do with it. */
  async cloned(namespace: string, { status }: VMDiskImage): Promise<{ sha256: string; hasMore: boolean }> {
    const { stand } = this;
    const target = await stand.namespace(`clone-of-${namespace}`);
    await stand.resource(types.dataVolumes).create({
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: { name: 'root', namespace: target },
      spec: {
        source: { snapshot: { namespace, name: status?.artifact?.volumeSnapshot } },
        storage: { storageClassName: storageClass },
      },
    });
    await stand.until(
      `the clone in ${target}`,
      () => stand.find(types.claims, target, 'root')?.status?.phase === 'Bound',
      () => stand.find(types.dataVolumes, target, 'root')?.status,
    );
    return diskIn(stand, target, 'root', this.small.sizeBytes);
  }

  /** The pod that downloads, once CDI has seen it do so. The server must hold the download. */
  async downloading(namespace: string): Promise<Thing> {
    const { stand } = this;
    await stand.until(
      `the download in ${namespace}`,
      () => stand.list(types.dataVolumes, namespace).some(({ status }) => /^\d.*%$/.test(String(status?.progress))),
      () => stand.list(types.dataVolumes, namespace).map(({ status }) => status),
    );
    const [pod] = stand.list(types.pods, namespace).filter(({ status }) => status?.phase === 'Running');
    assert.ok(pod, 'the importer runs');
    return pod;
  }
}

/** The reason of Ready. */
export function reasonOf(image: VMDiskImage | undefined): string {
  return image?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
}
