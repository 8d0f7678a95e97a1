import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '@terrain/runtime';
import { conditionOf, isPhase, phaseOf, statusOf } from '../things.ts';
import { download, Stage } from './stage.ts';

const bound = isPhase('Bound');

describe('DataVolumes that import, on a real API server', () => {
  let stage: Stage;
  before(async () => {
    stage = await Stage.open({ speed: 10 });
  });
  after(() => stage[Symbol.asyncDispose]());

  test('phases, claim, pods and order of a good import (platform-apis 0.3, 0.4, 1.3, 1.5; storage B.3)', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'disk', download('import:8s'), {
      labels: { team: 'red' },
      annotations: { note: 'kept' },
    });
    const claim = await stage.until('PersistentVolumeClaim', namespace, 'disk', bound);
    await stage.until('DataVolume', namespace, 'disk', (object) => conditionOf(object, 'Bound')?.status === 'True');

    const phases = stage.sequence('DataVolume', namespace, 'disk', phaseOf);
    const order = ['Pending', 'ImportScheduled', 'ImportInProgress', 'ImportScheduled', 'ImportInProgress', 'Succeeded'];
    assert.deepEqual(
      phases.filter((phase) => phase !== ''),
      order,
    );
    const progress = stage
      .sequence('DataVolume', namespace, 'disk', (object) => statusOf(object, 'progress'))
      .filter((value) => value !== '');
    assert.deepEqual([progress[0], progress.at(-1)], ['N/A', '100.0%']);
    assert.ok(progress.slice(1, -1).every((value) => /^\d+\.\d\d%$/.test(value)) && progress.length > 2, progress.join(' '));

    const succeeded = stage.versionOf('DataVolume', namespace, 'disk', isPhase('Succeeded'));
    assert.ok(succeeded < stage.versionOf('PersistentVolumeClaim', namespace, 'disk', bound), 'Succeeded comes before Bound');
    assert.deepEqual(
      stage.sequence('PersistentVolumeClaim', namespace, 'disk', phaseOf),
      ['Pending', 'Bound'],
      'the claim is Pending until it is populated',
    );
    const { labels, annotations, ownerReferences } = claim.metadata;
    assert.deepEqual([labels?.team, labels?.['terrain.dev/simulated'], annotations?.note], ['red', 'true', 'kept']);
    assert.equal(ownerReferences?.[0]?.kind, 'DataVolume');

    const volume = await stage.get('PersistentVolume', undefined, String(claim.spec?.volumeName));
    assert.deepEqual([phaseOf(volume), volume.metadata.labels?.['terrain.dev/simulated']], ['Bound', 'true']);
    const pods = new Set(
      stage.entries.flatMap(({ kind, namespace: at, object }) =>
        kind === 'Pod' && at === namespace && object !== undefined ? [object.metadata.uid] : [],
      ),
    );
    assert.equal(pods.size, 2, 'one pod that asks for scratch space, one that downloads');
    await stage.untilGone('PersistentVolumeClaim', namespace, `prime-${claim.metadata.uid}`);
    assert.deepEqual(await stage.list('Pod', namespace), []);
    assert.equal((await stage.list('PersistentVolumeClaim', namespace)).length, 1);
    assert.equal(statusOf(await stage.get('DataVolume', namespace, 'disk'), 'restartCount'), '');
  });

  test('a 404: Running flips at each restart, restartCount grows, nothing ever fails (0.10, 1.4, B.4)', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'disk', download('http:404'));
    const third = await stage.until(
      'DataVolume',
      namespace,
      'disk',
      (object) => statusOf(object, 'restartCount') === '2' && conditionOf(object, 'Running')?.status === 'False',
    );
    const text = 'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found';
    assert.deepEqual([conditionOf(third, 'Running')?.reason, conditionOf(third, 'Running')?.message], ['Error', text]);
    assert.deepEqual([phaseOf(third), statusOf(third, 'progress')], ['ImportInProgress', 'N/A']);
    const flips = stage.sequence(
      'DataVolume',
      namespace,
      'disk',
      (object) => `${conditionOf(object, 'Running')?.status} ${conditionOf(object, 'Running')?.reason}`,
    );
    assert.equal(flips.filter((value) => value === 'True Pod is running').length, 3, flips.join(', '));
    await stage.wait(
      () =>
        stage.entries.some(
          ({ kind, object }) => kind === 'Event' && (object as unknown as { message?: string } | undefined)?.message === text,
        ),
      () => 'no event told of the failure',
    );
  });

  test('a wrong checksum is the one failure that ends in phase Failed (1.4, B.4)', async () => {
    const namespace = await stage.namespace();
    await stage.create(
      'DataVolume',
      namespace,
      'disk',
      download(`digest:sha256:${'a'.repeat(64)}`, { source: { checksum: `sha256:${'b'.repeat(64)}` } }),
    );
    const failed = await stage.until('DataVolume', namespace, 'disk', isPhase('Failed'));
    assert.equal(conditionOf(failed, 'Running')?.reason, 'ChecksumError');
    assert.match(conditionOf(failed, 'Running')?.message ?? '', /checksum mismatch: expected sha256:b+, calculated sha256:a+$/);
    const claim = await stage.get('PersistentVolumeClaim', namespace, 'disk');
    assert.equal(claim.metadata.annotations?.['cdi.kubevirt.io/storage.import.fatalError'], 'true');
    await stage.untilGone('PersistentVolumeClaim', namespace, `prime-${claim.metadata.uid}-scratch`);
    assert.equal((await stage.list('Pod', namespace)).length, 0);
    assert.notEqual(await stage.find('PersistentVolumeClaim', namespace, `prime-${claim.metadata.uid}`), undefined);
  });

  for (const propagationPolicy of ['Background', 'Foreground'] as const)
    test(`deleted in mid-import, ${propagationPolicy}: everything goes, and the pod ends in its own time (architecture; B.3)`, async () => {
      const namespace = await stage.namespace();
      await stage.create('DataVolume', namespace, 'disk', download('import:10m'));
      await stage.until(
        'DataVolume',
        namespace,
        'disk',
        (object) => conditionOf(object, 'Running')?.status === 'True' && statusOf(object, 'progress') !== 'N/A',
      );
      const [pod] = await stage.list('Pod', namespace);
      assert.ok(pod);
      await stage.resource('DataVolume').delete({ name: 'disk', namespace }, { propagationPolicy });
      await stage.untilGone('DataVolume', namespace, 'disk');
      await stage.untilGone('Pod', namespace, pod.metadata.name);
      const gone = (kind: 'DataVolume' | 'Pod', name: string): number =>
        stage.statesOf(kind, namespace, name).findLast(({ object }) => object === undefined)!.atMs;
      const isPodLast = gone('Pod', pod.metadata.name) > gone('DataVolume', 'disk');
      assert.equal(isPodLast, propagationPolicy === 'Background', 'only foreground deletion waits for the pod');
      await stage.wait(
        () =>
          !stage.entries.some(
            ({ kind, namespace: at, name }) =>
              kind === 'PersistentVolumeClaim' && at === namespace && stage.statesOf(kind, at, name).at(-1)?.object !== undefined,
          ),
        () => 'a claim was left',
      );
    });

  test('a class that does not exist is waited for (1.3)', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'disk', download('', { storage: { storageClassName: `late-${namespace}` } }));
    await stage.until('DataVolume', namespace, 'disk', (object) => conditionOf(object, 'Bound')?.reason === 'ErrClaimNotValid');
    await stage.create('StorageClass', undefined, `late-${namespace}`, { provisioner: 'simulated.terrain.dev' });
    await stage.until('DataVolume', namespace, 'disk', isPhase('Succeeded'));
    await stage.resource('StorageClass').delete({ name: `late-${namespace}` });
  });

  test('the legacy path: Bound before any byte (1.5)', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'disk', download('import:10m'), {
      annotations: { 'cdi.kubevirt.io/storage.usePopulator': 'false' },
    });
    await stage.until('PersistentVolumeClaim', namespace, 'disk', bound);
    await stage.until('DataVolume', namespace, 'disk', isPhase('ImportInProgress'));
    assert.ok(stage.sequence('DataVolume', namespace, 'disk', phaseOf).includes('PVCBound'));
  });

  test('another simulator goes on where one stopped, and downloads nothing twice', async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'disk', download('import:16s'));
    await stage.until('DataVolume', namespace, 'disk', (object) => statusOf(object, 'progress').endsWith('%'));
    await stage.restartSimulator();
    await stage.until('PersistentVolumeClaim', namespace, 'disk', bound);
    const phases = stage.sequence('DataVolume', namespace, 'disk', phaseOf);
    assert.deepEqual(phases.slice(-2), ['ImportInProgress', 'Succeeded']);
    assert.equal(stage.simulator.egress.of('https://images.example.com/lab.qcow2?sim=import:16s').downloads, 1);
  });

  const refused: Record<string, { given: object; want: string }> = {
    'a malformed checksum': {
      given: download('', { source: { checksum: 'abc' } }),
      want: "Invalid checksum format: invalid checksum format: expected 'algorithm:hash', got 'abc'",
    },
    'an unknown algorithm': {
      given: download('', { source: { checksum: 'crc:12' } }),
      want: "Invalid checksum format: unsupported hash algorithm 'crc': supported algorithms are: md5, sha1, sha256, sha512",
    },
    'a checksum that is too short': {
      given: download('', { source: { checksum: 'sha256:12' } }),
      want: 'Invalid checksum format: invalid sha256 hash length: expected 64 hex characters, got 2',
    },
    'a checksum that is no number': {
      given: download('', { source: { checksum: `md5:${'z'.repeat(32)}` } }),
      want: 'Invalid checksum format: checksum hash is not valid hexadecimal',
    },
    'an ftp address': {
      given: download('', { source: { url: 'ftp://example.com/x' } }),
      want: 'spec.source Invalid source URL scheme: ftp://example.com/x',
    },
    'an empty address': { given: download('', { source: { url: '' } }), want: 'spec.source source URL is empty' },
    'two sources': {
      given: {
        spec: {
          source: { blank: {}, http: { url: 'https://example.com/x' } },
          storage: { resources: { requests: { storage: '1Gi' } } },
        },
      },
      want: 'Multiple Data volume sources',
    },
    'no source': {
      given: { spec: { storage: { resources: { requests: { storage: '1Gi' } } } } },
      want: 'Data volume should have either Source or SourceRef, or be externally populated',
    },
    'no size': { given: { spec: { source: { blank: {} }, storage: {} } }, want: 'Storage size is missing' },
    'a size of nothing': {
      given: { spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '0' } } } } },
      want: "Storage size can't be equal or less than zero",
    },
    'storage and pvc at once': {
      given: {
        spec: {
          source: { blank: {} },
          storage: { resources: { requests: { storage: '1Gi' } } },
          pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
      want: 'Duplicate storage definition, both target storage and target pvc defined',
    },
    'a registry over http': {
      given: {
        spec: { source: { registry: { url: 'http://example.com/x' } }, storage: { resources: { requests: { storage: '1Gi' } } } },
      },
      want: 'Illegal registry source URL scheme http://example.com/x',
    },
  };
  for (const [name, { given, want }] of Object.entries(refused))
    test(`refused as by CDI's webhook: ${name} (0.2)`, async () => {
      const namespace = await stage.namespace();
      await assert.rejects(stage.create('DataVolume', namespace, 'disk', given), (error: Error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, 422);
        assert.ok(error.message.endsWith(`denied request: ${want}`), error.message);
        return true;
      });
    });

  test("refused as by CDI's webhook: a changed spec, and a claim of that name (0.2, 1.1)", async () => {
    const namespace = await stage.namespace();
    await stage.create('DataVolume', namespace, 'disk', download('stuck'));
    const change = stage
      .resource('DataVolume')
      .mergePatch({ name: 'disk', namespace }, { spec: { source: { http: { url: 'https://example.com/other' } } } });
    await assert.rejects(change, /denied request: Cannot update DataVolume Spec$/);
    await stage.resource('DataVolume').mergePatch({ name: 'disk', namespace }, { metadata: { labels: { a: 'b' } } });
    await stage.create('PersistentVolumeClaim', namespace, 'taken', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await stage.until('PersistentVolumeClaim', namespace, 'taken', bound);
    await assert.rejects(
      stage.create('DataVolume', namespace, 'taken', download()),
      new RegExp(`denied the request: Destination PVC ${namespace}/taken already exists$`),
    );
  });

  test('a simulator that is stopped keeps nobody from creating DataVolumes, and the next one looks at claims again', async () => {
    const namespace = await stage.namespace();
    const spec = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    for (const name of ['before', 'after']) await stage.create('PersistentVolumeClaim', namespace, name, spec);
    await stage.simulator.stop();
    await stage.create('DataVolume', namespace, 'before', download());
    await stage.restartSimulator();
    await assert.rejects(stage.create('DataVolume', namespace, 'after', download()), /after already exists$/);
  });

  test('a DataVolume whose predecessor’s claim is still going waits for it (1.5)', async () => {
    const namespace = await stage.namespace();
    const first = await stage.create('DataVolume', namespace, 'disk', download());
    await stage.until('PersistentVolumeClaim', namespace, 'disk', bound);
    await stage
      .resource('PersistentVolumeClaim')
      .mergePatch({ name: 'disk', namespace }, { metadata: { finalizers: ['example.com/hold'] } });
    await stage
      .resource('DataVolume')
      .delete({ name: 'disk', namespace }, { uid: first.metadata.uid, propagationPolicy: 'Background' });
    await stage.until('PersistentVolumeClaim', namespace, 'disk', (object) => object.metadata.deletionTimestamp !== undefined);
    const second = await stage.create('DataVolume', namespace, 'disk', download());
    await stage.until('DataVolume', namespace, 'disk', (object) =>
      /^ErrResource/.test(conditionOf(object, 'Bound')?.reason ?? ''),
    );
    await stage.resource('PersistentVolumeClaim').mergePatch({ name: 'disk', namespace }, { metadata: { finalizers: null } });
    const done = await stage.until('DataVolume', namespace, 'disk', isPhase('Succeeded'));
    assert.equal(done.metadata.uid, second.metadata.uid);
  });
});
