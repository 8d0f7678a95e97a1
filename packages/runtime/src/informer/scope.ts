import type { KubeObject } from '#transport/kube-object.ts';
import { parseFieldSelector, parseLabelSelector } from './selector.ts';

/** Which objects of a kind an informer holds. */
export interface InformerScope<T = KubeObject> {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Holds name, labels, owners and the other metadata only; `kind` of the objects is then PartialObjectMetadata. */
  readonly metadataOnly?: boolean;
  /**
   * What is held of an object, for kinds of which only a few fields are read: a new object with at least the name, namespace, UID and version.
   * All who ask for the same part of a kind must name the same function.
   */
  readonly keep?: (object: T) => T;
}

/** Only which objects: the part of options that tells informers apart. */
export function scopeOf<T>(scope: InformerScope<T>): Omit<InformerScope<T>, 'keep'> {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = scope;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(metadataOnly === undefined ? {} : { metadataOnly }),
  };
}

/** Whether an object belongs to the part of its kind. */
export function coverage({
  namespace,
  labelSelector,
  fieldSelector,
}: Omit<InformerScope, 'keep'>): (object: KubeObject) => boolean {
  const labels = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  const fields = fieldSelector === undefined ? undefined : parseFieldSelector(fieldSelector);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (labels === undefined || labels(object.metadata.labels ?? {})) &&
    (fields === undefined || fields(object));
}
