import type { ApiTransport } from '#transport/api-transport.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { Resource, type ResourceType, resourcePath } from '#transport/resource.ts';

interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

/**
 * Turns the ownership that a POST left behind into one that server-side apply can give up.
 *
 * Fields set by POST belong to our manager's "Update"; an apply that leaves one of them out would leave it in place, because the Update still
 * owns it. Renaming the operation makes the POST look as if it had been an apply.
 * Returns the object as it is then; undefined if there was nothing to do.
 */
export async function convertOwnership<T extends KubeObject>(
  api: ApiTransport,
  type: ResourceType,
  observed: T,
  fieldManager: string,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  const { name = '', namespace, uid } = observed.metadata;
  const options = signal === undefined ? {} : { signal };
  const live = await new Resource<T>(api, type).get({ name, namespace }, options);
  if (live.metadata.uid !== uid) return undefined;
  const entries = (live.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
  const isOurs = (entry: ManagedFieldsEntry): boolean => entry.manager === fieldManager && (entry.subresource ?? '') === '';
  const index = entries.findIndex((entry) => isOurs(entry) && entry.operation === 'Update');
  if (index === -1 || entries.some((entry) => isOurs(entry) && entry.operation === 'Apply')) return undefined;
  return api.request<T>({
    method: 'PATCH',
    path: resourcePath(type, { name, namespace }),
    contentType: 'application/json-patch+json',
    body: [
      // The version the caller decided on, not the one just read: if they differ, the server answers 409 and the caller looks again.
      { op: 'replace', path: '/metadata/resourceVersion', value: observed.metadata.resourceVersion },
      { op: 'replace', path: `/metadata/managedFields/${index}/operation`, value: 'Apply' },
    ],
    ...options,
  });
}
