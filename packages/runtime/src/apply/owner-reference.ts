import type { KubeObject, OwnerReference } from '#transport/kube-object.ts';

/** A reference that makes `owner` the one controller of an object, and the garbage collector remove the object after it. */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined)
    throw new TypeError(`${owner.kind} ${name ?? '(unnamed)'} has no uid yet, so it cannot own anything; create it first`);
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The UID of the object's controller, if it has one. */
export function controllerUid(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid;
}

/** An object with the wanted name exists, and somebody else controls it. */
export class ForeignObjectError extends Error {
  override readonly name = 'ForeignObjectError';
  readonly object: KubeObject;

  constructor(object: KubeObject) {
    const { namespace, name, ownerReferences } = object.metadata;
    const where = namespace === undefined ? name : `${namespace}/${name}`;
    const controller = ownerReferences?.find((reference) => reference.controller === true);
    const whose = controller === undefined ? 'no controller' : `${controller.kind} ${controller.name} (uid ${controller.uid})`;
    super(`${object.kind} ${where} exists already and belongs to ${whose}; delete or rename it, then this one is created`);
    this.object = object;
  }
}
