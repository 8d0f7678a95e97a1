import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';
import type { Schema } from './schema.ts';

/** An object as the fake keeps it: plain JSON, never changed in place. */
export interface StoredObject extends KubeObject {
  readonly [field: string]: unknown;
}

/** Everything the fake must know of a kind to serve it. */
export interface ServedKind {
  readonly type: ResourceType;
  readonly kind: string;
  /** Whether status is written through a path of its own and by no other. */
  readonly hasStatus: boolean;
  readonly tracksGeneration: boolean;
  /** Whether PUT without a resource version is accepted. True of most built-in kinds, of no custom one. */
  readonly allowsBlindUpdate: boolean;
  /** Which lists merge by key, for server-side apply; for custom kinds also what is pruned, defaulted and refused. */
  readonly schema: Schema;
  /** Whether the schema is the whole truth (custom kinds) or only describes lists and maps (built-in ones). */
  readonly isStructural: boolean;
  /** Paths besides metadata.name and metadata.namespace that a field selector may name, such as `spec.nodeName`. */
  readonly selectableFields: readonly string[];
}

export const apiVersionOf = ({ group, version }: ResourceType): string => (group === '' ? version : `${group}/${version}`);

/** Names the collection; a kind's version is no part of it. */
export const collectionKey = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string => `${group}/${plural}`;

/** Sorts like the keys in etcd: by namespace, then by name. */
export const objectKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export const keyOf = ({ metadata }: KubeObject): string => objectKey(metadata.namespace, metadata.name ?? '');

export const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
