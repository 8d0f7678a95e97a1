import type { Connection } from '#transport/connection.ts';
import type { KubeList, KubeObject } from '#transport/kube-object.ts';
import { type ResourceType, resourcePath } from '#transport/resource.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** All objects of a kind at exactly this version (default: now), complete with the kind that built-in lists leave out of their items. */
export async function listAt(connection: Connection, type: ResourceType, revision?: bigint): Promise<KubeList<KubeObject>> {
  const query = revision === undefined ? {} : { resourceVersion: String(revision), resourceVersionMatch: 'Exact' };
  const list = await connection.request<KubeList<KubeObject> & { apiVersion: string; kind: string }>({
    method: 'GET',
    path: resourcePath(type),
    query,
  });
  const { apiVersion, kind } = list;
  return { ...list, items: list.items.map((item) => ({ ...item, apiVersion, kind: kind.replace(/List$/, '') })) };
}

/**
 * What happened to a kind between two versions, found by asking for the state at every version between.
 *
 * Guarantees: exact, since every write has a version of its own; a server that no longer has one of the states answers 410, which is thrown.
 * Caveats: one request per version.
 */
export async function* changesBetween(
  connection: Connection,
  type: ResourceType,
  from: bigint,
  to: bigint,
): AsyncGenerator<Change> {
  let before = byUid(await listAt(connection, type, from));
  for (let revision = from + 1n; revision <= to; revision++) {
    const after = byUid(await listAt(connection, type, revision));
    yield* difference(before, after, String(revision));
    before = after;
  }
}

type Objects = ReadonlyMap<string, KubeObject>;

const byUid = ({ items }: KubeList<KubeObject>): Objects => new Map(items.map((item) => [item.metadata.uid!, item]));

function* difference(before: Objects, after: Objects, resourceVersion: string): Generator<Change> {
  for (const [uid, object] of before) {
    if (!after.has(uid)) yield { type: 'DELETED', object: { ...object, metadata: { ...object.metadata, resourceVersion } } };
  }
  for (const [uid, object] of after) {
    const old = before.get(uid);
    if (old === undefined) yield { type: 'ADDED', object };
    else if (old.metadata.resourceVersion !== object.metadata.resourceVersion) yield { type: 'MODIFIED', object };
  }
}
