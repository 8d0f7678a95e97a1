import type { KubeObject } from '#transport/kube-object.ts';

/** Which object a reconcile is about: all a reconciler is told. */
export interface ObjectKey {
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects. Neither part can contain a slash. */
export function keyText(key: { readonly namespace?: string | undefined; readonly name?: string | undefined }): string {
  return key.namespace === undefined || key.namespace === '' ? (key.name ?? '') : `${key.namespace}/${key.name ?? ''}`;
}

/** The inverse of `keyText`. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash === -1 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The key text of an object. */
export function keyOf(object: KubeObject): string {
  return keyText(object.metadata);
}
