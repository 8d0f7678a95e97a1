import { judgeCertConfigMap, judgeSecret, judgeUnreadable } from './credential.ts';
import type { Eyes } from './hands.ts';
import type { Need, Snapshot, StoredImage } from './snapshot.ts';

/** One object that is awaited. */
export interface AwaitedObject {
  readonly kind: 'secret' | 'configmap' | 'datavolume' | 'kubevirt';
  readonly namespace: string;
  readonly name: string;
}

/** Wakes when an object comes, changes or goes. */
export interface ObjectWatch {
  /** What is awaited, and who is to be woken. Replaces what the key awaited before. */
  await(key: string, objects: readonly AwaitedObject[]): void;
}

/**
 * What is known of the Secrets and ConfigMaps that downloads need.
 *
 * They are read live and never kept in a cache: the operator has no right to list Secrets. What was found counts for the place in the
 * queue; before a download starts they are read again. It is kept for as long as an image depends on it.
 */
export class Needs {
  readonly #eyes: Eyes;
  readonly #watch: ObjectWatch;
  readonly #known = new Map<string, Need>();
  /** Who depends on what, and the other way round. */
  readonly #uses = new Map<string, readonly string[]>();
  readonly #users = new Map<string, Set<string>>();

  constructor(eyes: Eyes, watch: ObjectWatch) {
    this.#eyes = eyes;
    this.#watch = watch;
  }

  of(image: StoredImage): Pick<Snapshot, 'secret' | 'certConfigMap'> {
    const { secretRef, certConfigMap } = image.spec;
    return {
      secret: secretRef === undefined ? 'none' : (this.#known.get(secretId(image, secretRef)) ?? 'unknown'),
      certConfigMap: certConfigMap === undefined ? 'none' : (this.#known.get(configMapId(image, certConfigMap)) ?? 'unknown'),
    };
  }

  /**
   * Reads what the image needs. What is missing or unusable is watched from now on, and wakes the image; what cannot be read is not, since a watch
   * would fail likewise.
   */
  async check(key: string, image: StoredImage, signal: AbortSignal): Promise<Pick<Snapshot, 'secret' | 'certConfigMap'>> {
    const { namespace } = image.metadata;
    const { secretRef, certConfigMap, sourceType } = image.spec;
    this.#use(key, idsOf(image));
    if (secretRef !== undefined) {
      const read = this.#eyes.secret(namespace, secretRef, signal).then((secret) => judgeSecret(secret, secretRef, sourceType));
      this.#learn(secretId(image, secretRef), await orUnreadable(read, 'Secret', secretRef));
    }
    if (certConfigMap !== undefined) {
      const read = this.#eyes
        .hasConfigMap(namespace, certConfigMap, signal)
        .then((exists) => judgeCertConfigMap(exists, certConfigMap));
      this.#learn(configMapId(image, certConfigMap), await orUnreadable(read, 'ConfigMap', certConfigMap));
    }
    const needs = this.of(image);
    // Released while it was read, because the image went: nobody would end a watch for it.
    if (!this.#uses.has(key)) return needs;
    this.#watch.await(key, [
      ...(isWatchable(needs.secret) && secretRef !== undefined ? [{ kind: 'secret' as const, namespace, name: secretRef }] : []),
      ...(isWatchable(needs.certConfigMap) && certConfigMap !== undefined
        ? [{ kind: 'configmap' as const, namespace, name: certConfigMap }]
        : []),
    ]);
    return needs;
  }

  /** The image has all it needs, and what is known of that decides about its place in the queue. */
  keep(key: string, image: StoredImage): void {
    this.#watch.await(key, []);
    this.#use(key, idsOf(image));
  }

  /** What the image needs came, changed or went: what was known of it counts no more, for any image. */
  doubt(image: StoredImage): void {
    for (const id of idsOf(image)) this.#known.delete(id);
  }

  /** Nothing about the image depends on what it needs, or it is gone. */
  release(key: string): void {
    if (!this.#uses.has(key)) return;
    this.#watch.await(key, []);
    this.#use(key, []);
  }

  #use(key: string, ids: readonly string[]): void {
    const before = this.#uses.get(key) ?? [];
    if (ids.length === 0) this.#uses.delete(key);
    else this.#uses.set(key, ids);
    for (const id of ids) {
      const users = this.#users.get(id);
      if (users === undefined) this.#users.set(id, new Set([key]));
      else users.add(key);
    }
    for (const id of before) if (!ids.includes(id)) this.#leave(id, key);
  }

  #leave(id: string, key: string): void {
    const users = this.#users.get(id);
    users?.delete(key);
    if (users?.size !== 0) return;
    this.#users.delete(id);
    this.#known.delete(id);
  }

  /** What nobody depends on any more, because the image went while it was read, is not remembered. */
  #learn(id: string, need: Need): void {
    if (this.#users.has(id)) this.#known.set(id, need);
  }
}

async function orUnreadable(reading: Promise<Need>, kind: 'Secret' | 'ConfigMap', name: string): Promise<Need> {
  try {
    return await reading;
  } catch (error) {
    const need = judgeUnreadable(error, kind, name);
    if (need === undefined) throw error;
    return need;
  }
}

/** Whether it is not as it must be, and a watch tells when it is. */
const isWatchable = (need: Need): boolean => typeof need === 'object' && need.afterMs === undefined;

/** A Secret is judged by what the source does with it. */
const secretId = ({ metadata, spec }: StoredImage, name: string): string =>
  `secret/${spec.sourceType}/${metadata.namespace}/${name}`;
const configMapId = ({ metadata }: StoredImage, name: string): string => `configmap/${metadata.namespace}/${name}`;

function idsOf(image: StoredImage): readonly string[] {
  const { secretRef, certConfigMap } = image.spec;
  return [
    ...(secretRef === undefined ? [] : [secretId(image, secretRef)]),
    ...(certConfigMap === undefined ? [] : [configMapId(image, certConfigMap)]),
  ];
}
