import type { ResourceType } from '#transport/resource.ts';
import { apiVersionOf, collectionKey, type ServedKind } from './kind.ts';
import { metadataSchema, type Schema, schemaOf } from './schema.ts';

/** What a test says of a kind it wants served; the rest follows from custom kinds' rules. */
export interface KindOptions extends Partial<Omit<ServedKind, 'type' | 'kind'>> {
  readonly type: ResourceType;
  readonly kind: string;
}

/** Fills in what is left out: no status subresource, generation counted, lists are single values, nothing pruned. */
export function servedKind({ schema, ...options }: KindOptions): ServedKind {
  return {
    hasStatus: false,
    tracksGeneration: true,
    allowsBlindUpdate: false,
    isStructural: false,
    selectableFields: [],
    ...options,
    schema: schema === undefined ? schemaOf({}) : withMetadata(schema),
  };
}

function withMetadata(schema: Schema): Schema {
  const root = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: metadataSchema };
  return { ...schema, properties: { ...schema.properties, ...root } };
}

/** The kinds the fake serves right now. */
export class Kinds {
  readonly #kinds = new Map<string, ServedKind>();

  add(kind: ServedKind): void {
    this.#kinds.set(collectionKey(kind.type), kind);
  }

  remove(type: Pick<ResourceType, 'group' | 'plural'>): void {
    this.#kinds.delete(collectionKey(type));
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    const kind = this.#kinds.get(collectionKey({ group, plural }));
    return kind?.type.version === version ? kind : undefined;
  }

  findByKind(apiVersion: string, name: string): ServedKind | undefined {
    return this.all().find(({ type, kind }) => kind === name && apiVersionOf(type) === apiVersion);
  }

  all(): ServedKind[] {
    return [...this.#kinds.values()];
  }
}
