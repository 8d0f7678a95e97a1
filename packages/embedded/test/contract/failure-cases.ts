import assert from 'node:assert/strict';
import { conditionOf, isPhase, phaseOf, statusOf } from '../things.ts';
import type { Cases, Scene, Source } from './scene.ts';

interface Want {
  readonly source: Source;
  readonly reason: string;
  /** The importer's words, and what CDI makes of them. */
  readonly message: RegExp;
  /** How many pods it takes: the first one looks, the second one downloads. */
  readonly pods: 1 | 2;
}

const failures: Readonly<Record<string, Want>> = {
  'a source that is not there': {
    source: 'not-found',
    reason: 'Error',
    message: /^Unable to connect to http data source: expected status code 200, got 404\. Status: 404 Not Found$/,
    pods: 1,
  },
  'a server that is not there': {
    source: 'refused',
    reason: 'Error',
    message:
      /^Unable to connect to http data source: HTTP request errored: \w+ "[^"]+": dial tcp [^ ]+: connect: connection refused$/,
    pods: 1,
  },
  'a connection that is cut': {
    source: 'cut',
    reason: 'ImagePullFailed',
    message: /^Unable to process data: Unable to transfer source data to scratch space: failed to pull image: unexpected EOF$/,
    pods: 2,
  },
  'something that is no image': {
    source: 'not-an-image',
    reason: 'Error',
    message: /could not process image header: /,
    pods: 1,
  },
  'a disk that is too small': {
    source: 'too-small',
    reason: 'Error',
    message: /^DataVolume too small to contain image$/,
    pods: 2,
  },
  'a download that the disk has no space for': {
    source: 'overflowing',
    reason: 'Error',
    message: /^DataVolume too small to contain image$/,
    pods: 2,
  },
  'an object that is not in its bucket': {
    source: 's3-missing',
    reason: 'Error',
    message:
      /^Unable to connect to s3 data source: could not get s3 object: "disks\/missing": NoSuchKey: [^\n]+ \tstatus code: 404, request id: /,
    pods: 1,
  },
  'a bucket without keys for it': {
    source: 's3-without-secret',
    reason: 'Error',
    message:
      /^Unable to connect to s3 data source: could not get s3 object: "disks\/missing": EmptyStaticCreds: static credentials are empty$/,
    pods: 1,
  },
};

async function fails(scene: Scene, { source, reason, message, pods }: Want): Promise<void> {
  const { record } = scene;
  const at = await scene.namespace();
  if (source === 's3-missing') await record.create('Secret', at, 'keys', { stringData: scene.keys });
  await record.create('DataVolume', at, 'disk', scene.dataVolume(source));
  const failed = await record.heard('DataVolume', at, 'disk', (object) => conditionOf(object, 'Running')?.reason === reason);
  assert.match(conditionOf(failed, 'Running')?.message ?? '', message);
  assert.equal(conditionOf(failed, 'Running')?.status, 'False');
  const again = await record.heard('DataVolume', at, 'disk', (object) => Number(statusOf(object, 'restartCount')) >= 1);
  assert.ok(['ImportScheduled', 'ImportInProgress'].includes(phaseOf(again)), phaseOf(again));
  assert.equal(record.heardOf('Pod', at).length, pods, 'pods');
  assert.deepEqual(record.sequence('PersistentVolumeClaim', at, 'disk', phaseOf), ['Pending']);
  await scene.remove('DataVolume', at, 'disk');
  await record.untilNone('Pod', at);
  await record.untilNone('PersistentVolumeClaim', at);
}

/** Imports that fail, each as CDI tells of it. */
export const failureCases: Cases = {
  ...Object.fromEntries(
    Object.entries(failures).map(([name, want]) => [
      `${name}: told in Running, and tried again for ever`,
      (scene: Scene) => fails(scene, want),
    ]),
  ),

  'a wrong checksum is the one failure that ends in phase Failed': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    await record.create('DataVolume', at, 'disk', scene.dataVolume('wrong-checksum'));
    const failed = await record.heard('DataVolume', at, 'disk', isPhase('Failed'));
    assert.equal(conditionOf(failed, 'Running')?.reason, 'ChecksumError');
    assert.match(
      conditionOf(failed, 'Running')?.message ?? '',
      /checksum mismatch: expected sha256:0{64}, calculated sha256:[0-9a-f]{64}$/,
    );
    const isFatal = ({ metadata }: { metadata: { annotations?: Readonly<Record<string, string>> } }): boolean =>
      metadata.annotations?.['cdi.kubevirt.io/storage.import.fatalError'] === 'true';
    await record.heard('PersistentVolumeClaim', at, 'disk', isFatal);
    await record.untilNone('Pod', at);
    await scene.remove('DataVolume', at, 'disk');
  },
};
