import { crdType, namespaceType } from './core-kinds.ts';
import { collectionKey, type ServedKind, type StoredObject } from './kind.ts';
import { servedKind } from './kinds.ts';
import { isMap, type Schema } from './schema.ts';

/** Kept on a CRD until its objects are gone. */
export const crdCleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const isNamespace = (kind: ServedKind): boolean => collectionKey(kind.type) === collectionKey(namespaceType);
export const isCrd = (kind: ServedKind): boolean => collectionKey(kind.type) === collectionKey(crdType);

/** What the API server adds to some built-in kinds when they are created. */
export function completed(kind: ServedKind, object: StoredObject): StoredObject {
  if (isNamespace(kind)) {
    const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name! };
    return {
      ...object,
      metadata: { ...object.metadata, labels },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    };
  }
  if (!isCrd(kind)) return object;
  const { names, versions } = object.spec as CrdSpec;
  // The real server needs a moment for this; clients wait for the condition either way.
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
  const finalizers = [...(object.metadata.finalizers ?? []), crdCleanupFinalizer];
  return {
    ...object,
    metadata: { ...object.metadata, finalizers },
    status: {
      conditions,
      acceptedNames: names,
      storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name),
    },
  };
}

/** Whether something still has to be done before the object may disappear. */
export function isHeld(kind: ServedKind, object: StoredObject): boolean {
  const inSpec = isNamespace(kind) && isMap(object.spec) ? ((object.spec.finalizers as readonly string[] | undefined) ?? []) : [];
  return (object.metadata.finalizers ?? []).length + inSpec.length > 0;
}

interface CrdSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly storage: boolean;
    readonly schema?: { readonly openAPIV3Schema?: Schema };
    readonly subresources?: { readonly status?: unknown };
    readonly selectableFields?: readonly { readonly jsonPath: string }[];
  }[];
}

/**
 * The kind that a CustomResourceDefinition makes the server serve.
 *
 * Caveats: only the stored version is served, there is no conversion; CEL rules are not evaluated.
 */
export function kindOfCrd(crd: StoredObject): ServedKind {
  const { group, scope, names, versions } = crd.spec as CrdSpec;
  const version = versions.find(({ storage }) => storage)!;
  return servedKind({
    type: { group, version: version.name, plural: names.plural, namespaced: scope === 'Namespaced' },
    kind: names.kind,
    hasStatus: version.subresources?.status !== undefined,
    schema: version.schema?.openAPIV3Schema ?? {},
    isStructural: true,
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.slice(1)),
  });
}
