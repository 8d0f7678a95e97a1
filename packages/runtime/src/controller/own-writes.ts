import type { Informers } from '#informer/informers.ts';
import { keyOf } from '#store/key.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';

/** What a key waits for before it may be reconciled again, and the echoes of its writes that are no news to it. */
interface KeyState {
  waits: number;
  /** `uid@version` of versions this key made. */
  readonly echoes: Set<string>;
  isInPass: boolean;
}

/**
 * What the keys of one controller wrote, for as long as the caches do not show it.
 *
 * Guarantees: a key is held back until every informer that can see one of its writes has seen it; the version a key made is told apart from
 * versions others made, also when its event overtakes the answer to the write.
 */
export class OwnWrites {
  readonly #informers: Informers;
  readonly #onCaughtUp: (key: string) => void;
  readonly #keys = new Map<string, KeyState>();

  constructor(informers: Informers, onCaughtUp: (key: string) => void) {
    this.#informers = informers;
    this.#onCaughtUp = onCaughtUp;
  }

  /** How many keys are ahead of the caches. */
  get heldBack(): number {
    let count = 0;
    for (const { waits } of this.#keys.values()) if (waits > 0) count++;
    return count;
  }

  beginPass(key: string): void {
    this.#state(key).isInPass = true;
  }

  endPass(key: string): void {
    const state = this.#state(key);
    state.isInPass = false;
    this.#forgetIfIdle(key, state);
  }

  isCaughtUp(key: string): boolean {
    return (this.#keys.get(key)?.waits ?? 0) === 0;
  }

  /** Whether this version of an object is this key's own work. */
  isEcho(key: string, object: KubeObject): boolean {
    const echoes = this.#keys.get(key)?.echoes;
    return echoes !== undefined && echoes.size > 0 && echoes.has(versionId(object));
  }

  /**
   * Notes an object as the server answered a write of this key. `isOurs` says that the write, and nobody else's, made this version: only then
   * is its event an echo.
   */
  wrote(key: string, type: ResourceType, answer: KubeObject, isOurs: boolean): void {
    const version = answer.metadata.resourceVersion;
    if (version === undefined) return;
    const state = this.#state(key);
    if (isOurs) state.echoes.add(versionId(answer));
    const concerned = this.#informers.concerned(type, answer);
    // All before the first is asked: one that shows it already calls back at once.
    state.waits += concerned.length;
    for (const informer of concerned) informer.whenReached(version, () => this.#arrived(key, state));
    this.#forgetIfIdle(key, state);
  }

  /** Notes that the server has removed this object at the request of this key. */
  removed(key: string, type: ResourceType, object: KubeObject): void {
    const state = this.#state(key);
    const concerned = this.#informers.concerned(type, object);
    state.waits += concerned.length;
    for (const informer of concerned) informer.whenGone(keyOf(object), object.metadata.uid, () => this.#arrived(key, state));
    this.#forgetIfIdle(key, state);
  }

  #arrived(key: string, state: KeyState): void {
    state.waits--;
    if (state.waits > 0) return;
    this.#forgetIfIdle(key, state);
    this.#onCaughtUp(key);
  }

  #forgetIfIdle(key: string, state: KeyState): void {
    // An event can arrive before the answer, so echoes are kept at least until the pass ends.
    if (state.waits === 0 && !state.isInPass) this.#keys.delete(key);
  }

  #state(key: string): KeyState {
    let state = this.#keys.get(key);
    if (state === undefined) {
      state = { waits: 0, echoes: new Set(), isInPass: false };
      this.#keys.set(key, state);
    }
    return state;
  }
}

function versionId(object: KubeObject): string {
  return `${object.metadata.uid}@${object.metadata.resourceVersion}`;
}
