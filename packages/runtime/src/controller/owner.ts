import type { Informer } from '#informer/informer.ts';
import { keyText } from '#store/key.ts';
import type { KubeObject } from '#transport/kube-object.ts';

/**
 * The key of the owner that controls this object, if it is of the informer's kind.
 *
 * By name, not UID: an owner made anew under the same name wants to know when its predecessor's child is gone.
 */
export function ownerKeys(object: KubeObject, owners: Informer<KubeObject>): string[] {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined || groupOf(owner.apiVersion) !== owners.type.group) return [];
  const kind = kindOf(owners);
  if (kind !== undefined && kind !== owner.kind) return [];
  return [keyText({ namespace: owners.type.namespaced ? object.metadata.namespace : undefined, name: owner.name })];
}

/** As the type or the objects say it; undefined while neither does, when any key leads nowhere. */
function kindOf(informer: Informer<KubeObject>): string | undefined {
  if (informer.type.kind !== undefined) return informer.type.kind;
  if (informer.scope.metadataOnly === true) return undefined;
  for (const object of informer.store.values()) return object.kind;
  return undefined;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
