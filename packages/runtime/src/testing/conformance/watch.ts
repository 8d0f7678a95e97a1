import assert from 'node:assert/strict';
import {
  type ConformanceCases,
  fieldsOf,
  inWords,
  randomName,
  refused,
  type Sandbox,
  type SeenEvent,
  versionOf,
  type Widget,
} from './sandbox.ts';

const first =
  (count: number) =>
  (events: readonly SeenEvent[]): boolean =>
    events.length >= count;
const never = (): boolean => false;
const isInitialEnd = ({ object }: SeenEvent): boolean => object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';

const now = async (api: Sandbox): Promise<string> => (await api.list()).metadata.resourceVersion;

const future = async (api: Sandbox, by: bigint): Promise<string> => String(BigInt(await now(api)) + by);

/** A bookmark is sent only to tell something new: here, of a write that the watch itself is silent about. */
async function bookmarkOf(api: Sandbox): Promise<SeenEvent> {
  const resourceVersion = await now(api);
  await api.create('a');
  let elsewhere: Promise<unknown> = Promise.resolve();
  const events = await api.watch({ resourceVersion, timeoutSeconds: 3, allowWatchBookmarks: true }, (seen) => {
    if (seen.length === 1) elsewhere = createElsewhere(api);
    return seen.at(-1)?.type === 'BOOKMARK';
  });
  await elsewhere;
  return events.at(-1)!;
}

const createElsewhere = (api: Sandbox): Promise<Widget> =>
  api.widgets.create(api.widget(randomName('elsewhere'), { size: 1 }, { namespace: 'default' }));

export const watchCases: ConformanceCases = {
  'a watch tells what happened since the version, in order': async (api) => {
    const resourceVersion = await now(api);
    await api.create('a');
    await api.patch('a', { spec: { size: 2 } });
    await api.patch('a', { status: { phase: 'Ready' } }, { subresource: 'status' });
    await api.create('b');
    await api.delete('a');
    const events = await api.watch({ resourceVersion }, first(5));
    assert.deepEqual(inWords(events), ['ADDED a', 'MODIFIED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
    const versions = events.map(({ object }) => versionOf(object));
    assert.deepEqual(
      versions,
      versions.toSorted((x, y) => (x < y ? -1 : 1)),
    );
    assert.equal(new Set(versions).size, 5);
    assert.deepEqual([events[1]?.object.spec?.size, events[2]?.object.status], [2, { phase: 'Ready' }]);
  },
  'a watch tells what happens from now on': async (api) => {
    const resourceVersion = await now(api);
    const events = api.watch({ resourceVersion }, first(2));
    await api.create('a');
    await api.delete('a');
    assert.deepEqual(inWords(await events), ['ADDED a', 'DELETED a']);
  },
  'a deletion shows the last state under a version of its own': async (api) => {
    const created = await api.create('a');
    const resourceVersion = await now(api);
    await api.delete('a');
    const [event] = await api.watch({ resourceVersion }, first(1));
    assert.deepEqual([event?.type, event?.object.spec], ['DELETED', created.spec]);
    assert.ok(versionOf(event!.object) > versionOf(created));
  },
  'a watch without a version begins with what there is': async (api) => {
    await api.create('a');
    await api.create('b');
    for (const query of [{}, { resourceVersion: '0' }]) {
      assert.deepEqual(inWords(await api.watch(query, first(2))).sort(), ['ADDED a', 'ADDED b']);
    }
  },
  'a watch on one namespace is silent about others': async (api) => {
    const resourceVersion = await now(api);
    await createElsewhere(api);
    await api.create('a');
    assert.deepEqual(inWords(await api.watch({ resourceVersion }, first(1))), ['ADDED a']);
  },
  'an object that ceases to match is deleted, one that begins to match is added': async (api) => {
    await api.create('a', { size: 1 }, { labels: { group: 'in' } });
    const resourceVersion = await now(api);
    const left = await api.patch('a', { metadata: { labels: { group: 'out' } }, spec: { size: 2 } });
    await api.patch('a', { spec: { size: 3 } });
    await api.patch('a', { metadata: { labels: { group: 'in' } } });
    await api.patch('a', { spec: { size: 4 } });
    const events = await api.watch({ resourceVersion, labelSelector: 'group=in' }, first(3));
    assert.deepEqual(inWords(events), ['DELETED a', 'ADDED a', 'MODIFIED a']);
    assert.deepEqual([versionOf(events[0]!.object), events[0]?.object.spec?.size], [versionOf(left), 1]);
  },
  'a watch on one name is silent about others': async (api) => {
    const resourceVersion = await now(api);
    await api.create('a');
    await api.create('b');
    assert.deepEqual(inWords(await api.watch({ resourceVersion, fieldSelector: 'metadata.name=b' }, first(1))), ['ADDED b']);
  },
  'a version that is forgotten is told as an ERROR event with 410': async (api) => {
    const events = await api.watch({ resourceVersion: '1' }, never);
    assert.equal(events.length, 1);
    const [{ type, object } = {} as SeenEvent] = events;
    assert.deepEqual([type, object.kind, object.code, object.reason], ['ERROR', 'Status', 410, 'Expired']);
  },
  'a version from the future is taken, and nothing is told until the server gets there': async (api) => {
    const resourceVersion = await future(api, 1_000_000n);
    const events = api.watch({ resourceVersion, timeoutSeconds: 3, allowWatchBookmarks: true }, never);
    for (const name of ['a', 'b', 'c']) await api.create(name);
    assert.deepEqual(await events, []);
  },
  'a watch from the future tells what comes after its version, and nothing before': async (api) => {
    const resourceVersion = await future(api, 5n);
    let isSeen = false;
    const events = api.watch({ resourceVersion }, (seen) => {
      isSeen = seen.length > 0;
      return isSeen;
    });
    for (let n = 0; n < 5 || !isSeen; n++) await api.create(`a-${n}`);
    const [event] = await events;
    assert.equal(event?.type, 'ADDED');
    assert.ok(versionOf(event.object) > BigInt(resourceVersion));
  },
  'a watch ends by itself after its time': async (api) => {
    const resourceVersion = await now(api);
    await api.create('a');
    assert.deepEqual(inWords(await api.watch({ resourceVersion, timeoutSeconds: 1 }, never)), ['ADDED a']);
  },
  'a bookmark comes before a watch ends, if asked for and there is progress': async (api) => {
    const bookmark = await bookmarkOf(api);
    assert.equal(bookmark.type, 'BOOKMARK');
    const { items } = await api.list();
    assert.ok(items.every((item) => versionOf(item) <= versionOf(bookmark.object)));
    assert.deepEqual([bookmark.object.kind, bookmark.object.metadata.name], ['Widget', undefined]);
  },
  'no bookmark comes to those who did not ask': async (api) => {
    const resourceVersion = await now(api);
    assert.deepEqual(await api.watch({ resourceVersion, timeoutSeconds: 3 }, never), []);
  },
  'a watch can go on from a bookmark': async (api) => {
    const { metadata } = (await bookmarkOf(api)).object;
    await api.create('b');
    assert.deepEqual(inWords(await api.watch({ resourceVersion: metadata.resourceVersion! }, first(1))), ['ADDED b']);
  },
  'a streamed list ends with a marked bookmark and goes on as a watch': async (api) => {
    await api.create('a');
    await api.create('b');
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };
    const initial = await api.watch(query, (seen) => seen.some(isInitialEnd));
    assert.deepEqual(inWords(initial).sort(), ['ADDED a', 'ADDED b', 'BOOKMARK undefined']);
    assert.ok(isInitialEnd(initial.at(-1)!));
    await api.create('c');
    const resourceVersion = initial.at(-1)!.object.metadata.resourceVersion!;
    assert.deepEqual(inWords(await api.watch({ resourceVersion }, first(1))), ['ADDED c']);
  },
  'a streamed list says how to match its version': async (api) => {
    const error = await refused(api.watch({ sendInitialEvents: true, allowWatchBookmarks: true }, never), 422, 'Invalid');
    assert.deepEqual(fieldsOf(error), ['resourceVersionMatch']);
  },
  'a watch can be on metadata alone': async (api) => {
    const resourceVersion = await now(api);
    const { metadata } = await api.create('a');
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const [event] = await api.watch({ resourceVersion }, first(1), accept);
    assert.deepEqual(event, { type: 'ADDED', object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } });
  },
  'a request that changes nothing is not seen': async (api) => {
    await api.create('a');
    const resourceVersion = await now(api);
    await api.patch('a', { spec: { size: 1 } });
    await api.create('b');
    assert.deepEqual(inWords(await api.watch({ resourceVersion }, first(1))), ['ADDED b']);
  },
};
