/** A queue that is drained while something goes wrong. */
import assert from 'node:assert/strict';
import { defaultScenario } from '@terrain/embedded/testing';
import { type Connection, controllerUid } from '@terrain/runtime';
import type { ObservedEvent } from '@terrain/runtime/testing';
import { Stage, type StageOptions } from '../apiserver/stage.ts';
import { type Thing, types } from '../apiserver/types.ts';
import { observing } from '../apiserver/watched.ts';
import { sized } from './effort.ts';

const quick = {
  durations: { ...defaultScenario.durations, schedule: 20, validate: 20, import: 200, bind: 20, snapshot: 50, podStop: 20 },
};
const policyOfDrains = { concurrency: '4', retryBackoffDuration: '200ms' };
/** Every so-manieth image fails once. */
const failsEvery = 5;
const patienceMs = sized(150_000, 1_800_000);

export interface Drain {
  readonly images: number;
  readonly cluster?: StageOptions['cluster'];
  readonly policy?: Readonly<Record<string, string>>;
  /** Whether no image fails: without a policy a retry would wait for minutes. */
  readonly isFlawless?: boolean;
  /** Invariants that only a vandal breaks, and this one does. */
  readonly leave?: readonly string[];
  /** What the observer looks through, if not what everybody does. */
  readonly observerConnection?: Connection;
  /** Starts whatever downloads, and makes things go wrong. What it returns is disposed of when all images are there. */
  readonly begin: (stage: Stage) => Promise<AsyncDisposable>;
  /** Brings an end to what goes wrong on its own; called when all images exist. */
  readonly during?: (stage: Stage) => Promise<void>;
  /** Throws if what was to go wrong did not; called when all images are there. */
  readonly assertWentWrong?: () => void;
}

/**
 * Every version of the cluster is judged. In the end all images are there, each was downloaded once (those that fail once, at most
 * twice), and no slot is held.
 */
export async function drain({
  images,
  cluster,
  policy = policyOfDrains,
  leave = [],
  isFlawless = false,
  observerConnection,
  begin,
  during,
  assertWentWrong,
}: Drain): Promise<void> {
  await using stage = await Stage.open({ scenario: quick, policy, ...(cluster === undefined ? {} : { cluster }) });
  await observing(
    stage,
    async (observer) => {
      await using _ = await begin(stage);
      const failing = new Map<string, boolean>();
      for (let index = 0; index < images; index++) {
        const isFailing = !isFlawless && index % failsEvery === failsEvery - 1;
        const name = `img-${String(index).padStart(4, '0')}`;
        const { metadata } = await stage.createImage(name, isFailing ? { sim: 'fail:1' } : {});
        failing.set(metadata.uid ?? '', isFailing);
      }
      await during?.(stage);
      const isThere = (): boolean => stage.images().filter(({ status }) => status?.phase === 'Succeeded').length === images;
      await stage.until('all images to be there', isThere, patienceMs);
      await stage.until('all slots to be free', () => stage.ledger().entries.size === 0, patienceMs);
      await observer.caughtUp();
      assertDownloads(observer.history, failing);
      assertWentWrong?.();
    },
    leave,
    observerConnection,
  );
}

function assertDownloads(history: readonly ObservedEvent[], failing: ReadonlyMap<string, boolean>): void {
  const made = new Map<string, string[]>();
  for (const { type, resource, object } of history) {
    const uid = controllerUid(object) ?? '';
    if (resource.plural === types.dataVolumes.plural && type === 'ADDED')
      made.set(uid, [...(made.get(uid) ?? []), object.metadata.name ?? '']);
  }
  for (const [uid, isFailing] of failing) {
    const names = made.get(uid) ?? [];
    const isRight = names.length >= 1 && names.length <= (isFailing ? 2 : 1);
    assert.ok(isRight, `an image was downloaded ${names.length} times: ${names.join(', ')}\n${lifeOf(uid, history)}`);
  }
}

/** What became of an image and its volumes, a line for each version. */
function lifeOf(uid: string, history: readonly ObservedEvent[]): string {
  const lines = history
    .filter(({ object }) => object.metadata.uid === uid || controllerUid(object) === uid)
    .map(({ type, resource, object }) => {
      const { phase, attempt, retry, history: past } = ((object as Thing).status ?? {}) as Record<string, unknown>;
      const told = JSON.stringify({ phase, attempt, retry, past });
      return `${object.metadata.resourceVersion} ${type} ${resource.plural} ${object.metadata.name} ${told}`;
    });
  return lines.join('\n');
}

/** Does something again and again, with a pause, until it is disposed of. */
export function repeatedly(everyMs: number, act: () => Promise<unknown>): AsyncDisposable {
  const stop = new AbortController();
  const acting = (async () => {
    while (!stop.signal.aborted) {
      await act();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  acting.catch(() => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await acting;
    },
  };
}

/** Several, ended together in reverse order. */
export function together(...parts: readonly AsyncDisposable[]): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      for (const part of parts.toReversed()) await part[Symbol.asyncDispose]();
    },
  };
}
