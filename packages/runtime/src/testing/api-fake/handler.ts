import { type ApiCall, isTrue } from '../api-call.ts';
import type { DeleteOptions, Deleter } from './deleter.ts';
import type { History } from './history.ts';
import { objectKey, type ServedKind } from './kind.ts';
import type { Kinds } from './kinds.ts';
import { jsonPatch, mergePatch } from './patch.ts';
import { getObject, listObjects, metadataOnly, type View, wholeObject } from './reader.ts';
import { badRequest, invalidOptions, Refusal, unsupportedMediaType } from './refusal.ts';
import { selectorOf } from './selector.ts';
import type { WriteTarget } from './write-rules.ts';
import type { Writer } from './writer.ts';

/** A request as far as resources are concerned. */
export interface ResourceRequest {
  readonly call: ApiCall;
  readonly contentType: string;
  readonly accept: string;
  readonly userAgent: string;
  /** The body as sent; '' without one. */
  readonly text: string;
}

export interface Answer {
  readonly code: number;
  readonly body: object;
}

export interface HandlerParts {
  readonly history: History;
  readonly kinds: Kinds;
  readonly writer: Writer;
  readonly deleter: Deleter;
}

/** Undefined: no such resource is served. */
export function kindFor({ kinds }: Pick<HandlerParts, 'kinds'>, call: ApiCall): ServedKind | undefined {
  const kind = kinds.find(call.group, call.version, call.resource);
  if (kind === undefined || (call.namespace !== undefined && !kind.type.namespaced)) return undefined;
  const isServed =
    call.subresource === undefined || (call.subresource === 'status' && kind.hasStatus) || call.subresource === 'finalize';
  return isServed ? kind : undefined;
}

/** The form the client asked for. */
export const viewFor = (accept: string): View => (accept.includes('as=PartialObjectMetadata') ? metadataOnly : wholeObject);

/** Carries out everything but watches. */
export function handleResource(parts: HandlerParts, kind: ServedKind, request: ResourceRequest): Answer {
  const { call } = request;
  const read = { kind, namespace: call.namespace, name: call.name, query: call.query };
  const view = viewFor(request.accept);
  switch (call.verb) {
    case 'get':
      return { code: 200, body: view(getObject(parts.history, read)) };
    case 'list':
      return { code: 200, body: listObjects(parts.history, read, view) };
    case 'create':
      return {
        code: 201,
        body: view(parts.writer.create(writeTarget(kind, request, 'CreateOptions'), parseBody(request, kind))),
      };
    case 'update':
      if (call.name === undefined) throw badRequest('name must be provided');
      return {
        code: 200,
        body: view(parts.writer.replace(writeTarget(kind, request, 'UpdateOptions'), parseBody(request, kind))),
      };
    case 'patch':
      return patch(parts, kind, request, view);
    case 'delete':
      return remove(parts, kind, request);
    case 'deletecollection':
      return removeAll(parts, kind, request, view);
    case 'watch':
      throw new TypeError('a watch is a stream, not an answer');
  }
}

function patch({ writer }: HandlerParts, kind: ServedKind, request: ResourceRequest, view: View): Answer {
  const target = writeTarget(kind, request, 'PatchOptions');
  const body = parseBody(request, kind);
  switch (request.contentType.split(';')[0]) {
    case 'application/merge-patch+json':
      return { code: 200, body: view(writer.patch(target, (live) => mergePatch(live, body))) };
    case 'application/json-patch+json':
      return { code: 200, body: view(writer.patch(target, (live) => jsonPatch(live, body as Parameters<typeof jsonPatch>[1]))) };
    case 'application/apply-patch+yaml': {
      if ((request.call.query.get('fieldManager') ?? '') === '') {
        const message = 'Required value: is required for apply patch';
        throw invalidOptions('PatchOptions', { reason: 'FieldValueRequired', message, field: 'fieldManager' });
      }
      const { object, created } = writer.apply(target, body, isTrue(request.call.query.get('force')));
      return { code: created ? 201 : 200, body: view(object) };
    }
    default:
      throw unsupportedMediaType();
  }
}

function remove({ deleter, history }: HandlerParts, kind: ServedKind, request: ResourceRequest): Answer {
  const { namespace, name } = request.call;
  const uid = history.get(kind, objectKey(namespace, name!))?.metadata.uid;
  const left = deleter.delete({ kind, namespace, name: name! }, deleteOptions(request, kind));
  if (left !== undefined) return { code: 200, body: left };
  const { group, plural } = kind.type;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid };
  return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
}

function removeAll(parts: HandlerParts, kind: ServedKind, request: ResourceRequest, view: View): Answer {
  const { namespace, query } = request.call;
  const body = listObjects(parts.history, { kind, namespace, name: undefined, query }, view);
  const select = selectorOf(kind, query, namespace, undefined);
  for (const { metadata } of [...parts.history.all(kind)].filter(select)) {
    parts.deleter.delete({ kind, namespace: metadata.namespace, name: metadata.name! }, deleteOptions(request, kind));
  }
  return { code: 200, body };
}

function deleteOptions(request: ResourceRequest, kind: ServedKind): DeleteOptions {
  const body = (request.text === '' ? {} : parseBody(request, kind)) as DeleteOptions & { dryRun?: readonly string[] };
  const policy = request.call.query.get('propagationPolicy') ?? body.propagationPolicy;
  return {
    ...(body.preconditions === undefined ? {} : { preconditions: body.preconditions }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    dryRun: isDryRun(request.call.query, 'DeleteOptions') || (Array.isArray(body.dryRun) && body.dryRun.includes('All')),
  };
}

function writeTarget(kind: ServedKind, { call, userAgent }: ResourceRequest, options: string): WriteTarget {
  return {
    kind,
    namespace: call.namespace,
    name: call.name,
    subresource: call.subresource,
    manager: call.query.get('fieldManager') ?? userAgent.split('/')[0] ?? 'unknown',
    dryRun: isDryRun(call.query, options),
    strict: call.query.get('fieldValidation') === 'Strict',
  };
}

function isDryRun(query: URLSearchParams, options: string): boolean {
  const value = query.get('dryRun');
  if (value === null || value === '' || value === 'All') return value === 'All';
  const message = `Unsupported value: ["${value}"]: supported values: "All"`;
  throw invalidOptions(options, { reason: 'FieldValueNotSupported', message, field: 'dryRun' });
}

function parseBody({ text }: ResourceRequest, kind: ServedKind): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = (error as Error).message;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: ${why}`,
    );
  }
}

/** What is answered for a refusal; anything else thrown is a fault of the fake and shown as such. */
export function failureOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Refusal({ code: 500, reason: 'InternalError', message: `the API fake failed: ${text}` });
}
