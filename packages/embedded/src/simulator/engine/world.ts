import { type Change, type Informer, type InformerScope, type Informers, type KubeObject, keyText } from '@terrain/runtime';
import { type KindName, kinds } from '../kinds.ts';
import { simulatedLabel } from '../marks.ts';
import type { Claim, DataVolume, Stored, VolumeSnapshot } from '../objects.ts';
import { lookAt } from './dependencies.ts';

/** What a state machine's view is built from. Whatever is asked for is watched for it from then on. */
export interface Reader {
  get<T extends Stored>(kind: KindName, namespace: string | undefined, name: string): T | undefined;
  all<T extends Stored>(kind: KindName): readonly T[];
  by<T extends Stored>(kind: KindName, index: string, value: string): readonly T[];
}

type IndexOf = (object: KubeObject) => readonly string[];

/** Indexes that reading needs: which clones and snapshots have a source. */
const indexes: { readonly [Kind in KindName]?: Readonly<Record<string, IndexOf>> } = {
  DataVolume: {
    snapshot: (object) => {
      const { spec, metadata } = object as DataVolume;
      const source = spec.source?.snapshot;
      return source === undefined ? [] : [`${source.namespace ?? metadata.namespace}/${source.name}`];
    },
  },
  PersistentVolumeClaim: {
    snapshot: (object) => {
      const { spec, metadata } = object as Claim;
      const source = spec.dataSourceRef ?? spec.dataSource;
      return source?.kind === 'VolumeSnapshot' ? [`${metadata.namespace}/${source.name}`] : [];
    },
  },
  VolumeSnapshot: {
    claim: (object) => {
      const { spec, metadata } = object as VolumeSnapshot;
      return spec.source.persistentVolumeClaimName === undefined
        ? []
        : [`${metadata.namespace}/${spec.source.persistentVolumeClaimName}`];
    },
  },
};

/** Of these kinds only a part is held, or only the metadata. */
const scopes: { readonly [Kind in KindName]?: InformerScope } = {
  Pod: { labelSelector: `${simulatedLabel}=true` },
  ConfigMap: { metadataOnly: true },
};

/** The cluster as last heard of, by kind. */
export class World {
  readonly #informers = new Map<KindName, Informer<KubeObject>>();

  constructor(informers: Informers, watched: readonly KindName[]) {
    for (const kind of watched) {
      const informer = informers.get<KubeObject>(kinds[kind], scopes[kind] ?? {});
      for (const [name, valuesOf] of Object.entries(indexes[kind] ?? {})) informer.addIndex(name, valuesOf);
      this.#informers.set(kind, informer);
    }
  }

  /** Calls back with every change and with all that could have been looked at to see it. */
  onChange(callback: (kind: KindName, change: Change<KubeObject>, looks: readonly string[]) => void): void {
    for (const [kind, informer] of this.#informers) informer.onChange((change) => callback(kind, change, looksOf(kind, change)));
  }

  find<T extends Stored>(kind: KindName, key: string): T | undefined {
    return this.#informers.get(kind)?.store.get(key) as T | undefined;
  }

  /** A reader that notes in `looks` what was asked for. */
  reader(looks: Set<string>): Reader {
    return {
      get: <T extends Stored>(kind: KindName, namespace: string | undefined, name: string) => {
        looks.add(lookAt.object(kind, namespace, name));
        return this.find<T>(kind, keyText({ namespace, name }));
      },
      all: <T extends Stored>(kind: KindName) => {
        looks.add(lookAt.kind(kind));
        return [...(this.#informers.get(kind)?.store.values() ?? [])] as unknown as readonly T[];
      },
      by: <T extends Stored>(kind: KindName, index: string, value: string) => {
        looks.add(lookAt.index(kind, index, value));
        return (this.#informers.get(kind)?.store.byIndex(index, value) ?? []) as unknown as readonly T[];
      },
    };
  }

  /** Resolves once what is held is at least as new as this version of the kind, or after a while. */
  async reached(kind: KindName, version: string, atMostMs: number): Promise<void> {
    const informer = this.#informers.get(kind);
    if (informer === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((resolve) => informer.whenReached(version, resolve)),
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, atMostMs);
      }),
    ]);
    clearTimeout(timer);
  }
}

function looksOf(kind: KindName, change: Change<KubeObject>): readonly string[] {
  const looks = [lookAt.kind(kind)];
  for (const object of change.type === 'added'
    ? [change.new]
    : change.type === 'deleted'
      ? [change.old]
      : [change.old, change.new]) {
    looks.push(lookAt.object(kind, object.metadata.namespace, object.metadata.name ?? ''));
    for (const [index, valuesOf] of Object.entries(indexes[kind] ?? {}))
      for (const value of valuesOf(object)) looks.push(lookAt.index(kind, index, value));
  }
  return looks;
}
