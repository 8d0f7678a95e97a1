import { ApiError } from '#transport/api-error.ts';

/** Why the API server said no, in terms of what can be done about it. */
export type Refusal =
  | 'policy' // an admission policy or webhook forbids it: the manifest is well-formed, the rules or the moment are against it
  | 'quota' // a resource quota is used up
  | 'terminating' // the namespace is on its way out and takes nothing new
  | 'rights' // our user may not do this
  | 'manifest' // the manifest breaks the schema
  | 'stale' // the object changed or exists already: look again
  | 'missing' // the object, its namespace or its kind is not there
  | 'busy' // try later
  | 'other';

/** Undefined for errors that are no answer of the API server. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { code, reason, causes } = error;
  if (code === 404) return 'missing';
  if (code === 409) return 'stale';
  if (code === 429 || code >= 500) return 'busy';
  if (causes.some((cause) => cause.reason === 'NamespaceTerminating')) return 'terminating';
  if (isPolicy(error)) return 'policy';
  if (code === 403) return /: exceeded quota: /.test(error.message) ? 'quota' : 'rights';
  return code === 400 || code === 422 || reason === 'Invalid' ? 'manifest' : 'other';
}

/**
 * A denial by a ValidatingAdmissionPolicy has one cause that carries only a message; a schema's causes name a field, missing rights have none.
 * A webhook's denial has no cause at all, and its opening words are fixed by the API server.
 */
function isPolicy({ causes, message }: ApiError): boolean {
  const [cause] = causes;
  if (cause !== undefined && cause.field === undefined && cause.reason === undefined && message.includes(cause.message ?? '\0'))
    return true;
  return /admission webhook "[^"]+" denied the request/.test(message);
}
