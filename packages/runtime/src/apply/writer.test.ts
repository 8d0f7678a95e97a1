import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Shown } from '#informer/informers.ts';
import { ApiFake } from '#testing/index.ts';
import { isConflict } from '#transport/api-error.ts';
import { Connection } from '#transport/connection.ts';
import type { KubeObject, OwnerReference } from '#transport/kube-object.ts';
import { Resource, type ResourceType } from '#transport/resource.ts';
import { controllerReference } from './owner-reference.ts';
import { appliedAnnotation, Writer } from './writer.ts';

interface Thing extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

const things: ResourceType = { group: 'example.com', version: 'v1', plural: 'things', namespaced: true };

async function rig(t: TestContext) {
  const fake = await ApiFake.start({ kinds: [{ type: things, kind: 'Thing', hasStatus: true }] });
  const connection = new Connection(fake.credentials);
  t.after(async () => {
    await connection.close();
    await fake.close();
  });
  const events: string[] = [];
  const writer = new Writer({
    api: connection,
    fieldManager: 'us',
    wrote: (_, answer, isOurs) => events.push(`wrote ${answer.metadata.resourceVersion} ${isOurs}`),
    removed: (_, object) => events.push(`removed ${object.metadata.name}`),
  });
  const resource = new Resource<Thing>(connection, things);
  const owner = await resource.create(thing('owner'));
  /** The requests since the last call, as `verb subresource?`. */
  let read = fake.log.entries.length;
  const requests = (): string[] => {
    const fresh = fake.log.entries.slice(read);
    read = fake.log.entries.length;
    return fresh.flatMap((entry) => (entry.sort === 'request' ? [[entry.verb, entry.subresource ?? []].flat().join(' ')] : []));
  };
  return { fake, connection, writer, resource, owner, events, requests };
}

const thing = (name: string, spec: Thing['spec'] = {}, more: { owner?: KubeObject; finalizers?: string[] } = {}): Thing => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: {
    name,
    namespace: 'default',
    ...(more.owner === undefined ? {} : { ownerReferences: [controllerReference(more.owner)] as OwnerReference[] }),
    ...(more.finalizers === undefined ? {} : { finalizers: more.finalizers }),
  },
  spec,
});

test('create makes a child once and leaves one that is there as it is, whatever was desired', async (t) => {
  const { writer, owner, events, requests } = await rig(t);
  const child = await writer.create(things, thing('c', { a: 1 }, { owner }));
  assert.equal(child.metadata.annotations, undefined, 'it is never compared with a manifest, so it carries no fingerprint');
  const again = await writer.create(things, thing('c', { a: 2 }, { owner }));
  assert.deepEqual(again, child);
  assert.deepEqual(requests(), ['create', 'create', 'get']);
  const version = child.metadata.resourceVersion;
  assert.deepEqual(events, [`wrote ${version} true`, `wrote ${version} false`]);
});

test('create takes nothing over from somebody else', async (t) => {
  const { writer, owner, resource } = await rig(t);
  await resource.create(thing('c'));
  await assert.rejects(writer.create(things, thing('c', {}, { owner })), { name: 'ForeignObjectError' });
});

test('a child that the cache will show but does not yet is decided on anew, not overwritten', async (t) => {
  const { connection, writer, owner, events, requests, resource } = await rig(t);
  const newer = await writer.child(things, thing('c', { a: 2 }, { owner }), undefined);
  requests();
  let shown: Shown = 'not yet';
  const wrote = (_: ResourceType, answer: KubeObject): void => void events.push(`waits for ${answer.metadata.resourceVersion}`);
  const late = new Writer({ api: connection, fieldManager: 'us', wrote, shown: () => shown });
  const old = thing('c', { a: 1 }, { owner });
  await assert.rejects(
    late.child(things, old, undefined),
    (error: Error) =>
      isConflict(error) && /Thing default\/c exists in version \d+, which the cache did not show/.test(error.message),
  );
  assert.deepEqual(requests(), ['create', 'get']);
  assert.equal(
    events.at(-1),
    `waits for ${newer.metadata.resourceVersion}`,
    'the next pass must not come before the cache shows it',
  );
  assert.deepEqual(
    await late.child(things, thing('c', { a: 2 }, { owner }), undefined),
    newer,
    'the answer to our own POST was lost',
  );
  shown = 'never';
  await late.child(things, old, undefined);
  assert.deepEqual((await resource.get({ name: 'c', namespace: 'default' })).spec, { a: 1 });
});

test('a child that does not exist is made by POST, and the answer is noted as ours', async (t) => {
  const { writer, owner, events, requests } = await rig(t);
  const child = await writer.child(things, thing('c', { a: 1 }, { owner }), undefined);
  assert.deepEqual(requests(), ['create']);
  assert.deepEqual(events, [`wrote ${child.metadata.resourceVersion} true`]);
  assert.match(child.metadata.annotations?.[appliedAnnotation] ?? '', /^created:/);
});

test('a child that is as desired costs no request', async (t) => {
  const { writer, owner, requests } = await rig(t);
  const desired = thing('c', { a: 1, list: [{ x: 1 }] }, { owner });
  const child = await writer.child(things, desired, undefined);
  requests();
  assert.equal(await writer.child(things, desired, child), child);
  assert.deepEqual(requests(), []);
});

test('a drifted field is put back, and only with the version it was seen in', async (t) => {
  const { writer, owner, resource, events, requests } = await rig(t);
  const desired = thing('c', { a: 1 }, { owner });
  await writer.child(things, desired, undefined);
  const drifted = await resource.mergePatch({ namespace: 'default', name: 'c' }, { spec: { a: 2, foreign: true } });
  events.length = 0;
  const healed = await writer.child(things, desired, drifted);
  assert.deepEqual(healed.spec, { a: 1, foreign: true });
  // Two versions: the ownership of the POST is converted, then the manifest applied. Both are ours.
  assert.deepEqual(
    events.map((event) => event.split(' ')[2]),
    ['true', 'true'],
  );
  requests();
  await resource.mergePatch({ namespace: 'default', name: 'c' }, { spec: { a: 3 } });
  await assert.rejects(writer.child(things, desired, drifted), { code: 409, reason: 'Conflict' });
  assert.equal((await resource.get({ namespace: 'default', name: 'c' })).spec?.a, 3);
});

test('the first update after the creation is refused too when it was decided on an old version', async (t) => {
  const { writer, owner, resource } = await rig(t);
  const made = await writer.child(things, thing('c', { a: 1 }, { owner }), undefined);
  await resource.mergePatch({ namespace: 'default', name: 'c' }, { spec: { a: 2 } });
  await assert.rejects(writer.child(things, thing('c', { a: 3 }, { owner }), made), { code: 409, reason: 'Conflict' });
  assert.equal((await resource.get({ namespace: 'default', name: 'c' })).spec?.a, 2);
});

test('a field that the manifest no longer names is removed, also one that came with the POST', async (t) => {
  const { writer, owner, requests } = await rig(t);
  const first = await writer.child(things, thing('c', { a: 1, b: 2, c: 3 }, { owner }), undefined);
  requests();
  const second = await writer.child(things, thing('c', { a: 1, b: 2 }, { owner }), first);
  assert.deepEqual(second.spec, { a: 1, b: 2 });
  assert.deepEqual(requests(), ['get', 'patch', 'patch'], 'once, the ownership is converted');
  const third = await writer.child(things, thing('c', { a: 1 }, { owner }), second);
  assert.deepEqual(third.spec, { a: 1 });
  assert.deepEqual(requests(), ['patch'], 'from then on an update is one request');
  assert.equal(await writer.child(things, thing('c', { a: 1 }, { owner }), third), third);
});

test('a child whose creation got no answer is found and kept', async (t) => {
  const { writer, owner, events, requests } = await rig(t);
  const desired = thing('c', { a: 1 }, { owner });
  const child = await writer.child(things, desired, undefined);
  requests();
  events.length = 0;
  assert.deepEqual(await writer.child(things, desired, undefined), child);
  assert.deepEqual(requests(), ['create', 'get']);
  assert.deepEqual(events, [`wrote ${child.metadata.resourceVersion} false`], 'the cache must show it before the next pass');
});

test('a child of somebody else, or of nobody, is never taken over', async (t) => {
  const { writer, owner, resource, requests } = await rig(t);
  const other = await resource.create(thing('other'));
  const foreign = await resource.create(thing('c', { theirs: true }, { owner: other }));
  requests();
  const refused = { name: 'ForeignObjectError', message: /Thing default\/c exists already and belongs to Thing other \(uid / };
  await assert.rejects(writer.child(things, thing('c', {}, { owner }), undefined), refused);
  await assert.rejects(writer.child(things, thing('c', {}, { owner }), foreign), refused);
  await resource.create(thing('free'));
  await assert.rejects(writer.child(things, thing('free', {}, { owner }), undefined), /belongs to no controller/);
  await assert.rejects(
    writer.child(things, thing('free'), undefined),
    /belongs to no controller/,
    'nor one we do not own either',
  );
  assert.ok(requests().every((verb) => verb !== 'patch'));
});

test('an object without an owner is ours when we made it', async (t) => {
  const { writer, requests } = await rig(t);
  const first = await writer.child(things, thing('free', { a: 1 }), undefined);
  assert.deepEqual(await writer.child(things, thing('free', { a: 1 }), undefined), first);
  assert.deepEqual((await writer.child(things, thing('free', { a: 2 }), first)).spec, { a: 2 });
  assert.deepEqual(requests(), ['create', 'create', 'get', 'get', 'patch', 'patch']);
});

test('a child that is gone is not brought back by an update: the cache was behind', async (t) => {
  const { writer, owner, resource } = await rig(t);
  const child = await writer.child(things, thing('c', { a: 1 }, { owner }), undefined);
  const applied = await writer.child(things, thing('c', { a: 2 }, { owner }), child);
  await resource.delete({ namespace: 'default', name: 'c' });
  await assert.rejects(writer.child(things, thing('c', { a: 3 }, { owner }), applied), (error: { code: number }) =>
    [404, 409].includes(error.code),
  );
  await assert.rejects(resource.get({ namespace: 'default', name: 'c' }), { code: 404 });
});

test('a child on its way out is left alone', async (t) => {
  const { writer, owner, resource, requests } = await rig(t);
  await writer.child(things, thing('c', { a: 1 }, { owner, finalizers: ['x/y'] }), undefined);
  const leaving = await resource.delete({ namespace: 'default', name: 'c' });
  requests();
  assert.equal(await writer.child(things, thing('c', { a: 2 }, { owner }), leaving), leaving);
  assert.deepEqual(requests(), []);
});

test('a status is written once, and a field left out is removed', async (t) => {
  const { writer, owner, events, requests } = await rig(t);
  const first = await writer.status(things, owner, { phase: 'Ready', message: 'fine' });
  assert.deepEqual(first.status, { phase: 'Ready', message: 'fine' });
  assert.equal(await writer.status(things, first, { message: 'fine', phase: 'Ready' }), first);
  const second = await writer.status(things, first, { phase: 'Ready' });
  assert.deepEqual(second.status, { phase: 'Ready' });
  assert.deepEqual(requests(), ['patch status', 'patch status']);
  assert.deepEqual(
    events,
    [first, second].map((object) => `wrote ${object.metadata.resourceVersion} true`),
  );
});

test('a status decided on an old version is refused', async (t) => {
  const { writer, owner, resource } = await rig(t);
  await resource.mergePatch({ namespace: 'default', name: 'owner' }, { spec: { changed: true } });
  await assert.rejects(writer.status(things, owner, { phase: 'Ready' }), { code: 409, reason: 'Conflict' });
});

test('fields of the status that somebody else wrote stay, and do not cause a write each time', async (t) => {
  const { writer, owner, resource, requests } = await rig(t);
  const ours = await writer.status(things, owner, { phase: 'Ready' });
  const both = await resource.mergePatch(
    { namespace: 'default', name: 'owner', subresource: 'status' },
    { status: { lastActivity: 'now' } },
  );
  requests();
  assert.deepEqual(ours.status, { phase: 'Ready' });
  const again = await writer.status(things, both, { phase: 'Ready' });
  assert.deepEqual(again.status, { phase: 'Ready', lastActivity: 'now' });
  assert.equal(again.metadata.resourceVersion, both.metadata.resourceVersion);
  await writer.status(things, again, { phase: 'Ready' });
  assert.deepEqual(requests(), ['patch status'], 'asked once, remembered afterwards');
});

test('a write that changed nothing is not noted as ours: the version may be the work of somebody else', async (t) => {
  const { writer, owner, resource, events } = await rig(t);
  await writer.status(things, owner, { phase: 'Ready' });
  const both = await resource.mergePatch(
    { namespace: 'default', name: 'owner', subresource: 'status' },
    { status: { lastActivity: 'now' } },
  );
  events.length = 0;
  await writer.status(things, both, { phase: 'Ready' });
  assert.deepEqual(events, [`wrote ${both.metadata.resourceVersion} false`]);
});

test('a delete names the object and the version; gone already is gone', async (t) => {
  const { writer, resource, events } = await rig(t);
  const object = await resource.create(thing('d'));
  const newer = await resource.mergePatch({ namespace: 'default', name: 'd' }, { spec: { a: 1 } });
  await assert.rejects(writer.delete(things, object), { code: 409 });
  await assert.rejects(writer.delete(things, { ...newer, metadata: { ...newer.metadata, uid: 'another' } }), { code: 409 });
  assert.equal(await writer.delete(things, newer), 'gone');
  assert.equal(await writer.delete(things, newer), 'gone');
  assert.deepEqual(events, ['removed d', 'removed d']);
});

test('a delete that finalizers hold up is going', async (t) => {
  const { writer, resource, events } = await rig(t);
  const object = await resource.create(thing('d', {}, { finalizers: ['x/y'] }));
  assert.equal(await writer.delete(things, object), 'going');
  const { metadata } = await resource.get({ namespace: 'default', name: 'd' });
  assert.deepEqual(events, [`wrote ${metadata.resourceVersion} true`]);
});

test('of a delete that names no version nobody can say whose version is left', async (t) => {
  const { writer, resource, events } = await rig(t);
  const { metadata, ...object } = await resource.create(thing('d', {}, { finalizers: ['x/y'] }));
  const { resourceVersion: _, ...anyVersion } = metadata;
  await resource.delete({ namespace: 'default', name: 'd' });
  const foreign = await resource.mergePatch({ namespace: 'default', name: 'd' }, { spec: { a: 1 } });
  assert.equal(await writer.delete(things, { ...object, metadata: anyVersion }), 'going');
  assert.deepEqual(events, [`wrote ${foreign.metadata.resourceVersion} false`]);
});

test('finalizers are added and removed one by one, with the version; the last one lets the object go', async (t) => {
  const { writer, resource, requests } = await rig(t);
  const object = await resource.create(thing('f', {}, { finalizers: ['theirs/f'] }));
  requests();
  const guarded = await writer.addFinalizer(things, object, 'ours/f');
  assert.deepEqual(guarded.metadata.finalizers, ['theirs/f', 'ours/f']);
  assert.equal(await writer.addFinalizer(things, guarded, 'ours/f'), guarded);
  assert.deepEqual(requests(), ['patch']);
  await assert.rejects(
    writer.removeFinalizer(things, { ...guarded, metadata: { ...guarded.metadata, resourceVersion: '1' } }, 'ours/f'),
    {
      code: 409,
    },
  );
  const freed = await writer.removeFinalizer(things, guarded, 'theirs/f');
  const leaving = await resource.delete({ namespace: 'default', name: 'f' });
  assert.deepEqual(freed?.metadata.finalizers, ['ours/f']);
  assert.equal(await writer.removeFinalizer(things, leaving as Thing, 'ours/f'), undefined);
  await assert.rejects(resource.get({ namespace: 'default', name: 'f' }), { code: 404 });
});
