import { type KubeObject, keyText } from '@terrain/runtime';
import { dataVolumePlayer } from './cdi/player.ts';
import { EgressCounter } from './egress/counter.ts';
import { AttemptCounter } from './engine/attempts.ts';
import type { Effect, Refusal } from './engine/decision.ts';
import type { Reader } from './engine/world.ts';
import { apiVersionOf, type KindName } from './kinds.ts';
import { instancePlayer, machinePlayer } from './kubevirt/player.ts';
import type { Stored } from './objects.ts';
import { defaultScenario, type Scenario } from './scenario/scenario.ts';
import { snapshotPlayer } from './snapshot/player.ts';
import { claimPlayer, podPlayer, volumePlayer } from './storage/player.ts';

type Json = Record<string, unknown>;

const players = [dataVolumePlayer, podPlayer, claimPlayer, volumePlayer, snapshotPlayer, machinePlayer, instancePlayer];
const longestQuarrel = 200;

/**
 * The players on an empty stage: objects in memory, time that jumps. It shows what the state machines do without a cluster, and as each step
 * starts from the objects alone, it shows that they need no memory of their own.
 *
 * Caveats: knows nothing of schemas; deletes dependents at once, in the background.
 */
export class Rehearsal {
  nowMs = Date.parse('2026-01-01T00:00:00Z');
  readonly egress = new EgressCounter();
  readonly events: { readonly about: string; readonly reason: string; readonly message: string }[] = [];
  /** Every state of every object, in order. */
  readonly history: {
    readonly atMs: number;
    readonly kind: KindName;
    readonly name: string;
    readonly object: Stored | undefined;
  }[] = [];
  /** Writes since the start, for those who count them. */
  writes = 0;
  /** Refuses creations with the words it returns. */
  refuse: (kind: KindName, object: Json) => string | undefined = () => undefined;
  readonly #scenario: Scenario;
  readonly #objects = new Map<string, Stored>();
  readonly #attempts = new AttemptCounter();
  readonly #refusals = new Map<string, Refusal>();
  readonly #startMs = this.nowMs;
  #serial = 0;

  constructor(scenario: Partial<Scenario> = {}) {
    this.#scenario = { ...defaultScenario, ...scenario };
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.nowMs - this.#startMs;
  }

  find<T = Json>(kind: KindName, name: string, namespace: string | undefined = 'ns'): T | undefined {
    return this.#objects.get(idOf(kind, namespace, name)) as T | undefined;
  }

  all<T = Json>(kind: KindName): readonly T[] {
    return [...this.#objects.entries()].filter(([id]) => id.startsWith(`${kind}/`)).map(([, object]) => object as T);
  }

  /** Adds an object as a person would. Namespaced kinds go to `ns` unless they say otherwise. */
  create(kind: KindName, object: Json & { readonly metadata: Json }): void {
    const isClustered = [
      'StorageClass',
      'CSIDriver',
      'VolumeSnapshotClass',
      'PersistentVolume',
      'VolumeSnapshotContent',
    ].includes(kind);
    const metadata = {
      ...(isClustered ? {} : { namespace: 'ns' }),
      ...object.metadata,
      uid: `uid-${++this.#serial}`,
      generation: 1,
      creationTimestamp: new Date(this.nowMs).toISOString(),
    };
    this.#store(kind, { apiVersion: apiVersionOf(kind), kind, ...object, metadata } as unknown as Stored);
  }

  /** Changes an object as a person would. */
  patch(kind: KindName, name: string, body: Json, namespace: string | undefined = 'ns'): void {
    const current = this.#objects.get(idOf(kind, namespace, name));
    if (current === undefined) throw new Error(`there is no ${kind} ${name}`);
    const next = merge(current, body) as unknown as Stored & { metadata: { generation: number } };
    if (body.spec !== undefined) next.metadata.generation = (current.metadata.generation ?? 1) + 1;
    this.#store(kind, next);
  }

  delete(kind: KindName, name: string, namespace = 'ns'): void {
    this.#delete(kind, name, namespace);
  }

  #delete(kind: KindName, name: string, namespace: string | undefined): void {
    const current = this.#objects.get(idOf(kind, namespace, name));
    if (current === undefined) return;
    if ((current.metadata.finalizers?.length ?? 0) > 0) {
      if (current.metadata.deletionTimestamp === undefined)
        this.#store(
          kind,
          merge(current, { metadata: { deletionTimestamp: new Date(this.nowMs).toISOString() } }) as unknown as Stored,
        );
      return;
    }
    this.#remove(kind, current);
  }

  /** Lets everybody play for so long. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const wakeAtMs = this.#settle();
      if (wakeAtMs === undefined || wakeAtMs > endMs) break;
      this.nowMs = Math.max(this.nowMs, wakeAtMs);
    }
    this.nowMs = endMs;
  }

  /** Lets time pass with nobody playing, as when the simulator is stopped or the machine is busy. */
  pause(ms: number): void {
    this.nowMs += ms;
  }

  /** The values an object went through, each once per change, with the time since the start in seconds. */
  sequence<T>(
    kind: KindName,
    name: string,
    pick: (object: Json) => T,
  ): readonly { readonly atSeconds: number; readonly value: T }[] {
    const seen: { atSeconds: number; value: T }[] = [];
    for (const entry of this.history) {
      if (entry.kind !== kind || entry.name !== name || entry.object === undefined) continue;
      const value = pick(entry.object as unknown as Json);
      if (JSON.stringify(value) !== JSON.stringify(seen.at(-1)?.value))
        seen.push({ atSeconds: (entry.atMs - this.#startMs) / 1000, value });
    }
    return seen;
  }

  /** Plays until nobody wants anything more at this instant; returns when somebody will. */
  #settle(): number | undefined {
    for (let round = 0; round < longestQuarrel; round++) {
      let isQuiet = true;
      let next: number | undefined;
      for (const [id, object] of [...this.#objects]) {
        const player = players.find(({ kind }) => id.startsWith(`${kind}/`));
        if (player === undefined || !this.#scenario.parts.has(player.part) || this.#objects.get(id) !== object) continue;
        const { effects, wakeAtMs } = player.play(object, {
          read: this.#reader(),
          time: { nowMs: this.nowMs, speed: this.#scenario.speed },
          scenario: this.#scenario,
          refusal: this.#refusals.get(id),
          attemptAt: (url, uid) => this.#attempts.of(url, uid),
        });
        if (effects.some((effect) => effect.do !== 'download')) isQuiet = false;
        this.#perform(id, effects);
        if (wakeAtMs !== undefined && wakeAtMs > this.nowMs) next = Math.min(next ?? wakeAtMs, wakeAtMs);
      }
      if (isQuiet) return next;
    }
    throw new Error(`the players do not come to rest at ${this.elapsedMs} ms`);
  }

  #perform(id: string, effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.do === 'download') this.egress.record(effect.download);
      else if (effect.do === 'event')
        this.events.push({ about: effect.about.metadata.name, reason: effect.reason, message: effect.message });
      else {
        this.writes++;
        if (!this.#write(id, effect)) return;
      }
    }
  }

  /** False when it was refused, and the rest is to be left. */
  #write(id: string, effect: Exclude<Effect, { do: 'event' | 'download' }>): boolean {
    if (effect.do === 'create') {
      const message = this.refuse(effect.kind, effect.object);
      if (message !== undefined) {
        const count = (this.#refusals.get(id)?.count ?? 0) + 1;
        this.#refusals.set(id, { kind: effect.kind, code: 403, message, count, atMs: this.nowMs });
        return false;
      }
      if (this.#refusals.get(id)?.kind === effect.kind) this.#refusals.delete(id);
      this.create(effect.kind, effect.object);
      return true;
    }
    const { kind, target } = effect;
    const current = this.#objects.get(idOf(kind, target.namespace, target.name));
    if (current === undefined || (target.uid !== undefined && target.uid !== current.metadata.uid)) return false;
    if (effect.do === 'delete') this.#delete(kind, target.name, target.namespace);
    else this.#store(kind, merge(current, effect.body) as unknown as Stored);
    return true;
  }

  #store(kind: KindName, object: Stored): void {
    const isDone = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers?.length ?? 0) === 0;
    if (isDone) {
      this.#remove(kind, object);
      return;
    }
    this.#objects.set(idOf(kind, object.metadata.namespace, object.metadata.name), object);
    this.history.push({ atMs: this.nowMs, kind, name: object.metadata.name, object });
  }

  #remove(kind: KindName, object: Stored): void {
    this.#objects.delete(idOf(kind, object.metadata.namespace, object.metadata.name));
    this.history.push({ atMs: this.nowMs, kind, name: object.metadata.name, object: undefined });
    for (const [id, dependent] of [...this.#objects])
      if (dependent.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid) === true)
        this.#delete(id.split('/')[0] as KindName, dependent.metadata.name, dependent.metadata.namespace);
  }

  #reader(): Reader {
    return {
      get: <T extends Stored>(kind: KindName, namespace: string | undefined, name: string) =>
        this.#objects.get(idOf(kind, namespace, name)) as T | undefined,
      all: <T extends Stored>(kind: KindName) => this.all<T>(kind),
      by: <T extends Stored>(kind: KindName, index: string, value: string) =>
        this.all<T>(kind).filter((object) => indexValueOf(object, index) === value),
    };
  }
}

function idOf(kind: KindName, namespace: string | undefined, name: string): string {
  return `${kind}/${keyText({ namespace, name })}`;
}

/** The indexes of engine/world.ts, read from any object that has such a source. */
function indexValueOf(object: KubeObject, index: string): string | undefined {
  const { spec, metadata } = object as unknown as {
    spec?: Json & { source?: Json; dataSourceRef?: Json };
    metadata: { namespace?: string };
  };
  if (index === 'claim') return `${metadata.namespace}/${String(spec?.source?.persistentVolumeClaimName)}`;
  const snapshot = spec?.source?.snapshot as { namespace?: string; name: string } | undefined;
  if (snapshot !== undefined) return `${snapshot.namespace ?? metadata.namespace}/${snapshot.name}`;
  return spec?.dataSourceRef?.kind === 'VolumeSnapshot' ? `${metadata.namespace}/${String(spec.dataSourceRef.name)}` : undefined;
}

/** RFC 7396. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Json = { ...(typeof target === 'object' && target !== null && !Array.isArray(target) ? (target as Json) : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[name];
    else result[name] = merge(result[name], value);
  }
  return result;
}
