import type { History } from './history.ts';
import { apiVersionOf, keyOf, objectKey, type ServedKind, type StoredObject } from './kind.ts';
import { badRequest, expired, invalidOptions, notFound, tooLargeResourceVersion } from './refusal.ts';
import { isSelective, selectorOf } from './selector.ts';

/** What a read is about: one kind, maybe one namespace, maybe one name, and the query. */
export interface ReadTarget {
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly query: URLSearchParams;
}

/** Which form the answer has: whole objects, or their metadata only. */
export type View = (object: StoredObject) => object;

export const wholeObject: View = (object) => object;
export const metadataOnly: View = ({ metadata }) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });

export function getObject(history: History, { kind, namespace, name, query }: ReadTarget): StoredObject {
  refuseFuture(history, query);
  const object = history.get(kind, objectKey(namespace, name!));
  if (object === undefined) throw notFound(kind, name!);
  return object;
}

interface Token {
  readonly v: 'meta.k8s.io/v1';
  /** -1: as of now, consistency given up. */
  readonly rv: number;
  /** Key of the last object handed out. */
  readonly start: string;
}

export function listObjects(history: History, target: ReadTarget, view: View): object {
  const { kind, query } = target;
  const token = readToken(query);
  const revision = listRevision(history, query, token);
  const select = selectorOf(kind, query, target.namespace, target.name);
  const objects = (revision === history.revision ? [...history.all(kind)] : history.at(kind, revision))
    .filter((object) => select(object) && (token === undefined || keyOf(object) > token.start))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const limit = Number(query.get('limit') ?? 0) || objects.length;
  const page = objects.slice(0, limit);
  const left = objects.length - page.length;
  const metadata = {
    resourceVersion: String(revision),
    continue: left === 0 ? '' : writeToken({ v: 'meta.k8s.io/v1', rv: revision, start: keyOf(page.at(-1)!) }),
    ...(left > 0 && !isSelective(query) ? { remainingItemCount: left } : {}),
  };
  const isPartial = view === metadataOnly;
  return {
    kind: isPartial ? 'PartialObjectMetadataList' : `${kind.kind}List`,
    apiVersion: isPartial ? 'meta.k8s.io/v1' : apiVersionOf(kind.type),
    metadata,
    items: page.map(view),
  };
}

function listRevision(history: History, query: URLSearchParams, token: Token | undefined): number {
  const match = query.get('resourceVersionMatch');
  const asked = query.get('resourceVersion') ?? '';
  if (token !== undefined) {
    if (asked !== '' && asked !== '0') throw badRequest('specifying resource version is not allowed when using continue');
    if (token.rv !== -1 && token.rv < history.compactedTo) throw expired(tokenExpired, writeToken({ ...token, rv: -1 }));
    return token.rv === -1 ? history.revision : token.rv;
  }
  if (match !== null && asked === '') {
    throw forbiddenOption('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  }
  refuseFuture(history, query);
  if (match !== 'Exact') return history.revision;
  if (Number(asked) < history.compactedTo) throw expired(`The resourceVersion for the provided list is too old.`);
  return Number(asked);
}

const tokenExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Refuses a resource version nobody has been given yet, or that is no number. */
function refuseFuture(history: History, query: URLSearchParams): void {
  const asked = query.get('resourceVersion') ?? '';
  if (asked === '') return;
  if (!/^\d+$/.test(asked)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: "${asked}": strconv.ParseUint: parsing "${asked}": invalid syntax`,
    );
  }
  if (Number(asked) > history.revision) throw tooLargeResourceVersion(Number(asked), history.revision);
}

export const forbiddenOption = (field: string, why: string) =>
  invalidOptions('ListOptions', { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field });

const writeToken = (token: Token): string => Buffer.from(JSON.stringify(token)).toString('base64url');

function readToken(query: URLSearchParams): Token | undefined {
  const text = query.get('continue') ?? '';
  if (text === '') return undefined;
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Token;
    if (token.v === 'meta.k8s.io/v1' && Number.isInteger(token.rv)) return token;
  } catch {
    // Answered below: whatever is wrong with a token, the client can only start again.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}
