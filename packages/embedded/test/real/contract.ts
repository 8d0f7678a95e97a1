/**
 * What CDI and a storage driver do, as far as Terrain relies on it. The same cases run against the real ones and against the simulator, so that the
 * two cannot drift apart.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '@terrain/runtime';
import { type ContractRecord, conditionOf, isPhase, phaseOf, statusOf, type Thing } from './contract-record.ts';

/** What can be downloaded: a disk of 64 MiB, or something that goes wrong. */
export type Source = 'good' | 'slow' | 'not-found' | 'cut' | 'not-an-image' | 'wrong-checksum' | 'too-small';

/** A platform under test. */
export interface World extends AsyncDisposable {
  readonly record: ContractRecord;
  /** Fields of a DataVolume's `source.http` and the size to ask for. */
  source(source: Source): { readonly http: object; readonly storage: string };
  readonly storageClass: string;
  readonly snapshotClass: string;
}

const timeout = 600_000;
/** 128 MiB and the 6 % that CDI adds for a file system. */
const nominal = '128Mi';
const inflated = '142270792';

const isBound = isPhase('Bound');
const failure = (reason: string) => (object: Thing) => conditionOf(object, 'Running')?.reason === reason;

/** Words of the importer, and what CDI makes of them. */
const failures: Readonly<Record<string, { readonly source: Source; readonly reason: string; readonly message: RegExp }>> = {
  'a source that is not there': {
    source: 'not-found',
    reason: 'Error',
    message: /^Unable to connect to http data source: expected status code 200, got 404\. Status: 404 Not Found$/,
  },
  'a connection that is cut': {
    source: 'cut',
    reason: 'ImagePullFailed',
    message: /^Unable to process data: Unable to transfer source data to scratch space: failed to pull image: unexpected EOF$/,
  },
  'something that is no image': { source: 'not-an-image', reason: 'Error', message: /could not process image header: / },
  'a disk that is too small': { source: 'too-small', reason: 'Error', message: /^DataVolume too small to contain image$/ },
};

export function contract(platform: string, open: () => Promise<World>): void {
  describe(`what Terrain relies on, of ${platform}`, { timeout, concurrency: 3 }, () => {
    let world: World;
    let namespaces = 0;
    before(
      async () => {
        world = await open();
      },
      { timeout },
    );
    after(() => world?.[Symbol.asyncDispose](), { timeout: 180_000 });

    async function namespace(): Promise<string> {
      const name = `contract-${process.pid}-${++namespaces}`;
      const path = '/api/v1/namespaces';
      await world.record.connection.request({
        method: 'POST',
        path,
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      });
      return name;
    }

    function dataVolume(source: Source, http: object = {}): object {
      const { http: fields, storage } = world.source(source);
      return {
        spec: {
          source: { http: { ...fields, ...http } },
          storage: { storageClassName: world.storageClass, resources: { requests: { storage } } },
        },
      };
    }

    const clone = (from: string, name: string, storage?: string): object => ({
      spec: {
        source: { snapshot: { namespace: from, name } },
        storage: {
          storageClassName: world.storageClass,
          ...(storage === undefined ? {} : { resources: { requests: { storage } } }),
        },
      },
    });
    const snapshotOf = (claim: string): object => ({
      spec: { volumeSnapshotClassName: world.snapshotClass, source: { persistentVolumeClaimName: claim } },
    });
    const claimOf = (storage: string, more: object = {}): object => ({
      spec: {
        storageClassName: world.storageClass,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage } },
        ...more,
      },
    });
    const isReadyToUse = (object: Thing): boolean => object.status?.readyToUse === true;

    /** Bytes that the snapshot `cut` needs when it is restored. */
    const heldBy = (at: string): number =>
      bytesOf(statusOf(world.record.statesOf('VolumeSnapshot', at, 'cut').at(-1), 'restoreSize'));

    /** A namespace with an imported disk called `image` and a snapshot of it called `cut`. */
    async function imported(): Promise<string> {
      const { record } = world;
      const at = await namespace();
      await record.create('DataVolume', at, 'image', dataVolume('good'));
      await record.until('PersistentVolumeClaim', at, 'image', isBound);
      await record.create('VolumeSnapshot', at, 'cut', snapshotOf('image'));
      await record.until('VolumeSnapshot', at, 'cut', isReadyToUse);
      return at;
    }

    test('an import: two pods, phases, progress, the claim pending until it is filled, nothing left beside it', {
      timeout,
    }, async () => {
      const { record } = world;
      const at = await namespace();
      const metadata = { labels: { team: 'red' }, annotations: { note: 'kept' } };
      await record.create('DataVolume', at, 'disk', dataVolume('good'), metadata);
      const claim = await record.until('PersistentVolumeClaim', at, 'disk', isBound);
      const done = await record.until('DataVolume', at, 'disk', (object) => conditionOf(object, 'Bound')?.status === 'True');
      assert.deepEqual([phaseOf(done), statusOf(done, 'progress'), statusOf(done, 'restartCount')], ['Succeeded', '100.0%', '']);
      assert.deepEqual(
        ['Ready', 'Bound', 'Running'].map((type) => {
          const { status, reason, message } = conditionOf(done, type) ?? {};
          return [type, status, reason ?? '', type === 'Bound' ? '' : (message ?? '')];
        }),
        [
          ['Ready', 'True', '', ''],
          ['Bound', 'True', 'Bound', ''],
          ['Running', 'False', 'Completed', 'Import Complete'],
        ],
      );
      const phases = record.sequence('DataVolume', at, 'disk', phaseOf).filter((phase) => phase !== '' && phase !== 'Pending');
      assert.deepEqual(phases, ['ImportScheduled', 'ImportInProgress', 'ImportScheduled', 'ImportInProgress', 'Succeeded']);
      assert.deepEqual(record.sequence('PersistentVolumeClaim', at, 'disk', phaseOf), ['Pending', 'Bound']);
      assert.equal(requestOf(claim), inflated);
      const { labels, annotations, ownerReferences } = claim.metadata;
      assert.deepEqual([labels?.team, annotations?.note, ownerReferences?.[0]?.kind], ['red', 'kept', 'DataVolume']);
      assert.equal(record.heardOf('Pod', at).length, 2, 'one pod that asks for scratch space, one that downloads');
      await record.untilNone('Pod', at);
      await record.untilHeard(
        () => (record.present('PersistentVolumeClaim', at).length === 1 ? true : undefined),
        () => `claims left: ${record.present('PersistentVolumeClaim', at).map(({ metadata: { name } }) => name)}`,
      );
    });

    for (const [name, { source, reason, message }] of Object.entries(failures))
      test(`${name}: told in Running, and tried again for ever`, { timeout }, async () => {
        const { record } = world;
        const at = await namespace();
        await record.create('DataVolume', at, 'disk', dataVolume(source));
        const failed = await record.until('DataVolume', at, 'disk', failure(reason));
        assert.match(conditionOf(failed, 'Running')?.message ?? '', message);
        assert.equal(conditionOf(failed, 'Running')?.status, 'False');
        const again = await record.until('DataVolume', at, 'disk', (object) => Number(statusOf(object, 'restartCount')) >= 1);
        assert.ok(['ImportScheduled', 'ImportInProgress'].includes(phaseOf(again)), phaseOf(again));
        assert.deepEqual(record.sequence('PersistentVolumeClaim', at, 'disk', phaseOf), ['Pending']);
        await record.resource('DataVolume').delete({ name: 'disk', namespace: at }, {});
        await record.untilNone('Pod', at);
        await record.untilNone('PersistentVolumeClaim', at);
      });

    test('a wrong checksum is the one failure that ends in phase Failed', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      await record.create('DataVolume', at, 'disk', dataVolume('wrong-checksum'));
      const failed = await record.until('DataVolume', at, 'disk', isPhase('Failed'));
      assert.equal(conditionOf(failed, 'Running')?.reason, 'ChecksumError');
      assert.match(
        conditionOf(failed, 'Running')?.message ?? '',
        /checksum mismatch: expected sha256:0{64}, calculated sha256:[0-9a-f]{64}$/,
      );
      const claim = record.statesOf('PersistentVolumeClaim', at, 'disk').at(-1);
      assert.equal(claim?.metadata.annotations?.['cdi.kubevirt.io/storage.import.fatalError'], 'true');
      await record.untilNone('Pod', at);
    });

    test('a missing Secret holds the importer, and it goes on when it comes', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      await record.create('DataVolume', at, 'disk', dataVolume('good', { secretRef: 'keys' }));
      const waiting = await record.until('DataVolume', at, 'disk', failure('CreateContainerConfigError'));
      assert.deepEqual(
        [phaseOf(waiting), conditionOf(waiting, 'Running')?.message],
        ['ImportScheduled', 'secret "keys" not found'],
      );
      const stringData = { accessKeyId: 'a', secretKey: 'b' };
      await record.create('Secret', at, 'keys', { stringData });
      await record.until('DataVolume', at, 'disk', isPhase('Succeeded'));
    });

    test('a quota that the overhead does not fit into: Pending until there is room', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      const path = `/api/v1/namespaces/${at}/resourcequotas`;
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q' },
        spec: { hard: { 'requests.storage': nominal } },
      };
      await record.connection.request({ method: 'POST', path, body: quota });
      await record.create('DataVolume', at, 'disk', dataVolume('good'));
      const waiting = await record.until(
        'DataVolume',
        at,
        'disk',
        (object) => conditionOf(object, 'Bound')?.reason === 'ErrExceededQuota',
      );
      assert.equal(phaseOf(waiting), 'Pending');
      assert.match(conditionOf(waiting, 'Ready')?.message ?? '', /exceeded quota: q/);
      await record.connection.request({
        method: 'PATCH',
        path: `${path}/q`,
        contentType: 'application/merge-patch+json',
        body: { spec: { hard: { 'requests.storage': '10Gi' } } },
      });
      await record.until('DataVolume', at, 'disk', isPhase('Succeeded'));
    });

    test('deleted in mid-import: pods and claims go with it', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      await record.create('DataVolume', at, 'disk', dataVolume('slow'));
      await record.until('DataVolume', at, 'disk', (object) => statusOf(object, 'progress').endsWith('%'));
      await record.resource('DataVolume').delete({ name: 'disk', namespace: at }, { propagationPolicy: 'Background' });
      for (const kind of ['DataVolume', 'Pod', 'PersistentVolumeClaim'] as const) await record.untilNone(kind, at);
    });

    const refused: Readonly<Record<string, { readonly http: object; readonly want: string }>> = {
      'a malformed checksum': {
        http: { checksum: 'abc' },
        want: "Invalid checksum format: invalid checksum format: expected 'algorithm:hash', got 'abc'",
      },
      'a checksum that is too short': {
        http: { checksum: 'sha256:12' },
        want: 'Invalid checksum format: invalid sha256 hash length: expected 64 hex characters, got 2',
      },
      'an ftp address': {
        http: { url: 'ftp://example.com/x' },
        want: 'spec.source Invalid source URL scheme: ftp://example.com/x',
      },
      'an empty address': { http: { url: '' }, want: 'spec.source source URL is empty' },
    };
    test('what cannot work is refused before there is a pod, in so many words', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      for (const [name, { http, want }] of Object.entries(refused))
        await assert.rejects(record.create('DataVolume', at, 'disk', dataVolume('good', http)), endsWith(want), name);
      await record.create('PersistentVolumeClaim', at, 'taken', claimOf('32Mi'));
      await record.until('PersistentVolumeClaim', at, 'taken', () => true);
      await assert.rejects(
        record.create('DataVolume', at, 'taken', dataVolume('good')),
        endsWith(`Destination PVC ${at}/taken already exists`),
      );
      await record.create('DataVolume', at, 'disk', dataVolume('not-found'));
      const { http } = world.source('good');
      const change = record.resource('DataVolume').mergePatch({ name: 'disk', namespace: at }, { spec: { source: { http } } });
      await assert.rejects(change, endsWith('Cannot update DataVolume Spec'));
    });

    test('a snapshot and clones of it, also in another namespace: the size left out is the snapshot’s', { timeout }, async () => {
      const { record } = world;
      const at = await imported();
      const held = heldBy(at);
      // A driver may round a volume up to whole blocks.
      assert.ok(held >= Number(inflated) && held < Number(inflated) + 4096, String(held));
      const elsewhere = await namespace();
      for (const target of [at, elsewhere]) {
        await record.create('DataVolume', target, 'root', clone(at, 'cut'));
        await record.until('DataVolume', target, 'root', isPhase('Succeeded'));
        const claim = await record.until('PersistentVolumeClaim', target, 'root', isBound);
        assert.equal(bytesOf(requestOf(claim)), held);
      }
      await record.resource('VolumeSnapshot').delete({ name: 'cut', namespace: at }, {});
      await record.untilNone('VolumeSnapshot', at);
    });

    test('the nominal size is refused with CDI’s arithmetic; a larger one grows', { timeout }, async () => {
      const { record } = world;
      const at = await imported();
      await record.create('DataVolume', at, 'nominal', clone(at, 'cut', nominal));
      const isInvalid = (object: Thing): boolean => conditionOf(object, 'Bound')?.reason === 'CloneValidationFailed';
      const refusal = await record.until('DataVolume', at, 'nominal', isInvalid);
      assert.match(
        conditionOf(refusal, 'Bound')?.message ?? '',
        new RegExp(`storage size is smaller than the source 134217728 < ${heldBy(at)}$`),
      );
      assert.equal(phaseOf(refusal), '');
      await record.create('DataVolume', at, 'large', clone(at, 'cut', '256Mi'));
      await record.until('DataVolume', at, 'large', isPhase('Succeeded'));
    });

    test('a clone made before its snapshot waits, and then works by itself', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      await record.create('DataVolume', at, 'image', dataVolume('good'));
      await record.create('DataVolume', at, 'root', clone(at, 'cut'));
      const waits = (object: Thing): boolean => conditionOf(object, 'Bound')?.reason === 'CloneWithoutSource';
      await record.until('DataVolume', at, 'root', waits);
      await record.until('PersistentVolumeClaim', at, 'image', isBound);
      await record.create('VolumeSnapshot', at, 'cut', snapshotOf('image'));
      await record.until('DataVolume', at, 'root', isPhase('Succeeded'));
    });

    test('a snapshot of a claim that is not there, or not bound, says so', { timeout }, async () => {
      const { record } = world;
      const at = await namespace();
      const errorOf = (object: Thing): string => (object.status?.error as { message?: string } | undefined)?.message ?? '';
      await record.create('DataVolume', at, 'image', dataVolume('slow'));
      await record.until('PersistentVolumeClaim', at, 'image', () => true);
      await record.create('VolumeSnapshot', at, 'early', snapshotOf('image'));
      await record.create('VolumeSnapshot', at, 'orphan', snapshotOf('nothing'));
      const early = await record.until('VolumeSnapshot', at, 'early', (object) => errorOf(object) !== '');
      assert.match(errorOf(early), /the PVC image is not yet bound to a PV, will not attempt to take a snapshot/);
      const orphan = await record.until('VolumeSnapshot', at, 'orphan', (object) => errorOf(object) !== '');
      assert.match(errorOf(orphan), /cannot get claim from snapshot/);
      for (const name of ['early', 'orphan']) await record.resource('VolumeSnapshot').delete({ name, namespace: at }, {});
      await record.untilNone('VolumeSnapshot', at);
    });
  });
}

/** Whoever refuses has words of its own in front: a webhook's name, or a policy's. */
const endsWith = (words: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.ok(error.message.trim().endsWith(words), error.message);
  return true;
};

const requestOf = ({ spec }: Thing): string =>
  (spec?.resources as { requests?: { storage?: string } } | undefined)?.requests?.storage ?? '';

/** Sizes come as plain numbers or with a unit. */
function bytesOf(quantity: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([KMG]i)?$/.exec(quantity) ?? [];
  return Number(digits) * 1024 ** ['', 'Ki', 'Mi', 'Gi'].indexOf(unit);
}
