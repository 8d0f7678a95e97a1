import assert from 'node:assert/strict';
import { ApiError } from '@terrain/runtime';
import type { Thing } from '../record.ts';
import { conditionOf, isPhase, phaseOf, statusOf } from '../things.ts';
import { limitStorage, raiseStorage } from './quota.ts';
import { type Cases, inflated, isBound, nominal, requestOf } from './scene.ts';

const isUnderway = (object: Thing): boolean => statusOf(object, 'progress').endsWith('%');

/** Whether something went through stages in order. One may be over before a busy controller has looked. */
function isPartOf(seen: readonly string[], stages: readonly string[]): boolean {
  let next = 0;
  for (const stage of stages) if (stage === seen[next]) next++;
  return next === seen.length && seen.length > 0;
}

/** What the webhook says of a source, or of an object; whoever refuses has words of its own in front. */
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

const endsWith = (words: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.ok(error.message.trim().endsWith(words), error.message);
  return true;
};

/** Imports that go well, are held up, are ended, or never begin. */
export const importCases: Cases = {
  'an import: two pods, phases, progress, the claim pending until it is filled, nothing left beside it': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    const metadata = { labels: { team: 'red' }, annotations: { note: 'kept' } };
    await record.create('DataVolume', at, 'disk', scene.dataVolume('good'), metadata);
    const claim = await record.heard('PersistentVolumeClaim', at, 'disk', isBound);
    const done = await record.heard('DataVolume', at, 'disk', (object) => conditionOf(object, 'Bound')?.status === 'True');
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
    assert.ok(
      isPartOf(phases, ['ImportScheduled', 'ImportInProgress', 'ImportScheduled', 'ImportInProgress', 'Succeeded']),
      `${phases}`,
    );
    assert.deepEqual(record.sequence('PersistentVolumeClaim', at, 'disk', phaseOf), ['Pending', 'Bound']);
    assert.equal(requestOf(claim), inflated);
    const { labels, annotations, ownerReferences } = claim.metadata;
    assert.deepEqual([labels?.team, annotations?.note, ownerReferences?.[0]?.kind], ['red', 'kept', 'DataVolume']);
    assert.equal(record.heardOf('Pod', at).length, 2, 'one pod that asks for scratch space, one that downloads');
    await record.untilNone('Pod', at);
    await record.wait(
      () => record.present('PersistentVolumeClaim', at).length === 1,
      () => `claims left: ${record.present('PersistentVolumeClaim', at).map(({ metadata: { name } }) => name)}`,
    );
  },

  'a missing Secret holds the importer, and it goes on when it comes': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    await record.create('DataVolume', at, 'disk', scene.dataVolume('good', { secretRef: 'keys' }));
    const isHeld = (object: Thing): boolean => conditionOf(object, 'Running')?.reason === 'CreateContainerConfigError';
    const waiting = await record.heard('DataVolume', at, 'disk', isHeld);
    assert.deepEqual(
      [phaseOf(waiting), conditionOf(waiting, 'Running')?.message],
      ['ImportScheduled', 'secret "keys" not found'],
    );
    await record.create('Secret', at, 'keys', { stringData: scene.keys });
    await record.heard('DataVolume', at, 'disk', isPhase('Succeeded'));
  },

  'a quota that the overhead does not fit into: Pending until there is room': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    await limitStorage(record.connection, at, nominal);
    await record.create('DataVolume', at, 'disk', scene.dataVolume('good'));
    const isOver = (object: Thing): boolean => conditionOf(object, 'Bound')?.reason === 'ErrExceededQuota';
    const waiting = await record.heard('DataVolume', at, 'disk', isOver);
    assert.equal(phaseOf(waiting), 'Pending');
    assert.match(conditionOf(waiting, 'Ready')?.message ?? '', /exceeded quota: q/);
    await raiseStorage(record.connection, at, '10Gi');
    await record.heard('DataVolume', at, 'disk', isPhase('Succeeded'));
  },

  'deleted in mid-import: pods and claims go with it': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    await record.create('DataVolume', at, 'disk', scene.dataVolume('held'));
    await record.heard('DataVolume', at, 'disk', isUnderway);
    await scene.remove('DataVolume', at, 'disk');
    for (const kind of ['DataVolume', 'Pod', 'PersistentVolumeClaim'] as const) await record.untilNone(kind, at);
  },

  'an importer that is killed is started again, from byte 0, in the same pod': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    await record.create('DataVolume', at, 'disk', scene.dataVolume('dying'));
    await record.heard('DataVolume', at, 'disk', isUnderway);
    for (const pod of record.present('Pod', at)) scene.killImporter(pod);
    const done = await record.heard('DataVolume', at, 'disk', isPhase('Succeeded'));
    assert.deepEqual([statusOf(done, 'restartCount'), record.heardOf('Pod', at).length], ['1', 2]);
    // It may be running again before anybody looked. If not, the end of its log is told, many lines.
    for (const { object } of record.statesOf('DataVolume', at, 'disk')) {
      const { reason, message = '' } = conditionOf(object, 'Running') ?? {};
      if (reason === 'Error') assert.match(message, /\n/);
    }
  },

  'without a populator the claim is bound, and a snapshot of it is ready, before it is filled': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    const metadata = { annotations: { 'cdi.kubevirt.io/storage.usePopulator': 'false' } };
    await record.create('DataVolume', at, 'image', scene.dataVolume('held'), metadata);
    await record.heard('DataVolume', at, 'image', isUnderway);
    await scene.cut(at, 'empty');
    const last = record.last('DataVolume', at, 'image');
    assert.deepEqual([phaseOf(last), phaseOf(record.last('PersistentVolumeClaim', at, 'image'))], ['ImportInProgress', 'Bound']);
    await scene.remove('VolumeSnapshot', at, 'empty');
    await record.untilNone('VolumeSnapshot', at);
    await scene.remove('DataVolume', at, 'image');
    await record.untilNone('Pod', at);
  },

  'what cannot work is refused before there is a pod, in so many words': async (scene) => {
    const { record } = scene;
    const at = await scene.namespace();
    for (const [name, { http, want }] of Object.entries(refused))
      await assert.rejects(record.create('DataVolume', at, 'disk', scene.dataVolume('good', http)), endsWith(want), name);
    await record.create('PersistentVolumeClaim', at, 'taken', scene.claim('32Mi'));
    const words = `Destination PVC ${at}/taken already exists`;
    await assert.rejects(record.create('DataVolume', at, 'taken', scene.dataVolume('good')), endsWith(words));
    await record.create('DataVolume', at, 'disk', scene.dataVolume('not-found'));
    const change = record.resource('DataVolume').mergePatch({ name: 'disk', namespace: at }, scene.dataVolume('good'));
    await assert.rejects(change, endsWith('Cannot update DataVolume Spec'));
    await scene.remove('DataVolume', at, 'disk');
  },
};
