import type { StatusCause } from '#transport/api-error.ts';
import type { ServedKind } from './kind.ts';

/** A `metav1.Status` of a failed request. */
export interface FailureStatus {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  /** Only 410 on a continue token carries one: a token to go on with, at the price of consistency. */
  readonly metadata?: { readonly continue?: string };
}

/** Thrown anywhere inside the fake, answered as the Status it carries. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: FailureStatus;

  constructor(status: FailureStatus) {
    super(status.message);
    this.status = status;
  }
}

/** The body of a refusal as it travels. */
export const statusBody = ({ metadata = {}, ...status }: FailureStatus) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata,
  status: 'Failure',
  ...status,
});

type Named = Pick<ServedKind, 'type' | 'kind'>;

/** `widgets.example.test`, or `configmaps` in the core group. */
const qualified = (word: string, group: string): string => (group === '' ? word : `${word}.${group}`);
const detailsOf = (name: string, kind: string, group: string) => ({ name, ...(group === '' ? {} : { group }), kind });

export const notFound = ({ type }: Named, name: string): Refusal =>
  new Refusal({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(type.plural, type.group)} "${name}" not found`,
    details: detailsOf(name, type.plural, type.group),
  });

export const alreadyExists = ({ type }: Named, name: string): Refusal =>
  new Refusal({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(type.plural, type.group)} "${name}" already exists`,
    details: detailsOf(name, type.plural, type.group),
  });

const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export const conflict = ({ type }: Named, name: string, why = modified): Refusal =>
  new Refusal({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(type.plural, type.group)} "${name}": ${why}`,
    details: detailsOf(name, type.plural, type.group),
  });

export const invalid = ({ type, kind }: Named, name: string, causes: readonly StatusCause[]): Refusal => {
  const sentences = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return new Refusal({
    code: 422,
    reason: 'Invalid',
    message: `${qualified(kind, type.group)} "${name}" is invalid: ${list}`,
    details: { ...detailsOf(name, kind, type.group), causes },
  });
};

export const invalidOptions = (options: string, cause: StatusCause): Refusal =>
  invalid({ kind: options, type: { group: 'meta.k8s.io', version: 'v1', plural: options, namespaced: false } }, '', [cause]);

export const badRequest = (message: string): Refusal => new Refusal({ code: 400, reason: 'BadRequest', message });

export const namespaceTerminating = ({ type }: Named, name: string, namespace: string): Refusal =>
  new Refusal({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(type.plural, type.group)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    details: {
      ...detailsOf(name, type.plural, type.group),
      causes: [
        { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
      ],
    },
  });

export const expired = (message: string, token?: string): Refusal =>
  new Refusal({ code: 410, reason: 'Expired', message, ...(token === undefined ? {} : { metadata: { continue: token } }) });

export const tooOldResourceVersion = (asked: number, oldest: number): Refusal =>
  expired(`too old resource version: ${asked} (${oldest})`);

export const tooLargeResourceVersion = (asked: number, current: number): Refusal =>
  new Refusal({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });

export const unsupportedMediaType = (): Refusal =>
  new Refusal({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  });
