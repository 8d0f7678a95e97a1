import assert from 'node:assert/strict';
import { type ConformanceCases, fieldsOf, inWords, refused, versionOf } from './sandbox.ts';

const finalizer = 'conformance.test/hold';
const held = { finalizers: [finalizer] };

export const deleteCases: ConformanceCases = {
  'a deletion is answered with what is gone': async (api) => {
    const { metadata } = await api.create('a');
    const answer = await api.delete('a');
    assert.deepEqual([answer.kind, answer.status, answer.details?.uid], ['Status', 'Success', metadata.uid]);
    assert.ok(await api.isGone('a'));
  },
  'what does not exist cannot be deleted': async (api) => {
    await refused(api.delete('absent'), 404, 'NotFound');
  },
  'an object created again under its old name is another one': async (api) => {
    const first = await api.create('a');
    await api.delete('a');
    const second = await api.create('a');
    assert.notEqual(second.metadata.uid, first.metadata.uid);
    assert.ok(versionOf(second) > versionOf(first));
  },
  'a finalizer turns deletion into a mark': async (api) => {
    const before = await api.create('a', { size: 1 }, held);
    const { metadata } = await api.delete('a');
    assert.match(metadata.deletionTimestamp ?? '', /^\d{4}-/);
    assert.deepEqual([metadata.deletionGracePeriodSeconds, metadata.generation, metadata.finalizers], [0, 2, [finalizer]]);
    assert.ok(versionOf(await api.get('a')) > versionOf(before));
  },
  'a second deletion changes nothing': async (api) => {
    await api.create('a', { size: 1 }, held);
    await api.delete('a');
    const marked = await api.get('a');
    await api.delete('a');
    assert.deepEqual(await api.get('a'), marked);
  },
  'the mark cannot be taken back': async (api) => {
    await api.create('a', { size: 1 }, held);
    await api.delete('a');
    await api.patch('a', { metadata: { deletionTimestamp: null } }).catch(() => undefined);
    assert.notEqual((await api.get('a')).metadata.deletionTimestamp, undefined);
  },
  'no finalizer can be added to an object under deletion': async (api) => {
    await api.create('a', { size: 1 }, held);
    await api.delete('a');
    const error = await refused(
      api.patch('a', { metadata: { finalizers: [finalizer, 'conformance.test/late'] } }),
      422,
      'Invalid',
    );
    assert.ok(fieldsOf(error).includes('metadata.finalizers'));
  },
  'an object under deletion can still be changed': async (api) => {
    await api.create('a', { size: 1 }, held);
    await api.delete('a');
    const changed = await api.patch('a', { spec: { size: 2 } });
    assert.deepEqual([changed.spec?.size, changed.metadata.generation], [2, 3]);
  },
  'the object goes with its last finalizer': async (api) => {
    await api.create('a', { size: 1 }, { finalizers: [finalizer, 'conformance.test/other'] });
    await api.delete('a');
    await api.patch('a', { metadata: { finalizers: ['conformance.test/other'] } });
    assert.equal(await api.isGone('a'), false);
    await api.patch('a', { metadata: { finalizers: null } });
    assert.ok(await api.isGone('a'));
  },
  'removing the last finalizer is seen as the deletion only': async (api) => {
    const { metadata } = await api.list();
    await api.create('a', { size: 1 }, held);
    await api.delete('a');
    const { metadata: last } = await api.get('a');
    await api.patch('a', { metadata: { finalizers: null } });
    const events = await api.watch({ resourceVersion: metadata.resourceVersion }, (seen) => seen.length === 3);
    assert.deepEqual(inWords(events), ['ADDED a', 'MODIFIED a', 'DELETED a']);
    assert.deepEqual(events[2]?.object.metadata.finalizers, [finalizer]);
    assert.ok(versionOf(events[2]!.object) > BigInt(last.resourceVersion!));
  },
  'an object nobody deleted survives the loss of its finalizers': async (api) => {
    await api.create('a', { size: 1 }, held);
    await api.patch('a', { metadata: { finalizers: null } });
    assert.equal(await api.isGone('a'), false);
  },
  'a deletion meant for another object of the same name is a conflict': async (api) => {
    await api.create('a');
    const error = await refused(
      api.delete('a', { preconditions: { uid: '11111111-1111-1111-1111-111111111111' } }),
      409,
      'Conflict',
    );
    assert.match(error.message, /the UID in the precondition/);
    assert.equal(await api.isGone('a'), false);
  },
  'a deletion meant for an older version is a conflict': async (api) => {
    const { metadata } = await api.create('a');
    await api.patch('a', { spec: { size: 2 } });
    const error = await refused(
      api.delete('a', { preconditions: { resourceVersion: metadata.resourceVersion } }),
      409,
      'Conflict',
    );
    assert.match(error.message, /the ResourceVersion in the precondition/);
  },
  'a deletion whose preconditions hold is done': async (api) => {
    const { uid, resourceVersion } = (await api.create('a')).metadata;
    await api.widgets.delete({ name: 'a', namespace: api.namespace }, { uid: uid!, resourceVersion: resourceVersion! });
    assert.ok(await api.isGone('a'));
  },
  'a collection is deleted as far as the selector goes': async (api) => {
    await api.create('a', { size: 1 }, { labels: { group: 'x' } });
    await api.create('b', { size: 1 }, { labels: { group: 'y' } });
    await api.create('c', { size: 1 }, { labels: { group: 'x' } });
    await api.connection.request({ method: 'DELETE', path: api.path(), query: { labelSelector: 'group=x' } });
    assert.deepEqual(await api.names(), ['b']);
  },
};
