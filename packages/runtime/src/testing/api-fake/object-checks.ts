import type { StatusCause } from '#transport/api-error.ts';
import type { ObjectMeta, OwnerReference } from '#transport/kube-object.ts';
import { apiVersionOf, type ServedKind, type StoredObject } from './kind.ts';
import { badRequest, invalid } from './refusal.ts';
import { isMap } from './schema.ts';
import { defaulted, pruned, undeclared, violations } from './structural.ts';

/** Reads a body as an object of the kind; refuses what is none. */
export function readObject(
  kind: ServedKind,
  body: unknown,
  at: { namespace: string | undefined; name: string | undefined },
): StoredObject {
  const expected = apiVersionOf(kind.type);
  if (!isMap(body)) throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): not a JSON object`);
  const { apiVersion = expected, kind: name = kind.kind, metadata = {} } = body as Partial<StoredObject>;
  if (apiVersion !== expected) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
  }
  if (name !== kind.kind) {
    const cause = { reason: 'FieldValueInvalid', message: `Invalid value: "${name}": must be ${kind.kind}`, field: 'kind' };
    throw invalid({ ...kind, kind: name }, metadata.name ?? '', [cause]);
  }
  if (kind.type.namespaced && metadata.namespace !== undefined && metadata.namespace !== at.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (at.name !== undefined && metadata.name !== at.name) {
    throw badRequest(
      metadata.name === undefined
        ? `the name of the object (${at.name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${metadata.name}) does not match the name on the URL (${at.name})`,
    );
  }
  const inNamespace = kind.type.namespaced && at.namespace !== undefined ? { namespace: at.namespace } : {};
  return { ...body, apiVersion, kind: name, metadata: { ...metadata, ...inNamespace } };
}

/** Refuses undeclared fields when the request asked for strictness (`fieldValidation=Strict`). */
export function refuseUndeclared(kind: ServedKind, object: StoredObject): void {
  const unknown = kind.isStructural ? undeclared({ ...object, metadata: {} }, kind.schema) : [];
  if (unknown.length === 0) return;
  const fields = unknown.map((field) => `unknown field "${field}"`).join(', ');
  throw badRequest(
    `${kind.kind} in version "${kind.type.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${fields}`,
  );
}

/** Without undeclared fields and with defaults, for kinds whose schema is the whole truth. */
export function shaped(kind: ServedKind, object: StoredObject): StoredObject {
  if (!kind.isStructural) return object;
  const { metadata, ...rest } = object;
  return { ...(defaulted(pruned(rest, kind.schema), kind.schema) as Omit<StoredObject, 'metadata'>), metadata } as StoredObject;
}

/** Refuses an object whose metadata or fields are not acceptable. */
export function refuseInvalid(kind: ServedKind, object: StoredObject): void {
  const { metadata, ...rest } = object;
  const causes = [...metadataViolations(metadata), ...(kind.isStructural ? violations(rest, kind.schema, '') : [])];
  if (causes.length > 0) throw invalid(kind, metadata.name ?? '', causes);
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const nameRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelKey = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const wrong = (field: string, value: unknown, why: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

function metadataViolations({ name, labels = {}, ownerReferences = [] }: ObjectMeta): StatusCause[] {
  const causes: StatusCause[] = [];
  if (name === undefined || name === '') {
    causes.push({
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
      field: 'metadata.name',
    });
  } else if (!subdomain.test(name) && !name.includes(':')) causes.push(wrong('metadata.name', name, nameRule));
  for (const [key, value] of Object.entries(labels)) {
    if (!labelKey.test(key)) causes.push(wrong('metadata.labels', key, 'name part must consist of alphanumeric characters'));
    if (!labelValue.test(value))
      causes.push(wrong('metadata.labels', value, 'a valid label must be an empty string or consist of alphanumeric characters'));
  }
  return [...causes, ...ownerViolations(ownerReferences)];
}

function ownerViolations(owners: readonly OwnerReference[]): StatusCause[] {
  const causes = owners.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => (owner[field] ?? '') === '')
      .map((field) =>
        wrong(
          `metadata.ownerReferences.${field}`,
          '',
          field === 'apiVersion' ? 'version must not be empty' : 'must not be empty',
        ),
      ),
  );
  const controllers = owners.filter((owner) => owner.controller === true).map((owner) => `${owner.kind}/${owner.name}`);
  if (controllers.length > 1) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${controllers.join(' and ')}`;
    causes.push(wrong('metadata.ownerReferences', owners, why));
  }
  return causes;
}
