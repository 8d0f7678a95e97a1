import { ApiError, type Clock, type Connection, Informers, isAlreadyExists, WorkQueue } from '@terrain/runtime';
import type { EgressCounter } from '../egress/counter.ts';
import type { KindName } from '../kinds.ts';
import type { Stored } from '../objects.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { AttemptCounter } from './attempts.ts';
import type { Effect, Refusal } from './decision.ts';
import { Dependencies } from './dependencies.ts';
import { Executor, type Outcome } from './executor.ts';
import type { Player } from './player.ts';
import { World } from './world.ts';

export interface EngineOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly scenario: Scenario;
  readonly players: readonly Player[];
  readonly egress: EgressCounter;
  readonly signal: AbortSignal;
  /** Told of what went wrong and is tried again. */
  readonly onTrouble: (sentence: string) => void;
}

const workers = 16;
const firstRetryMs = 50;
const longestRetryMs = 15_000;
/** A stale cache explains this many refusals in a row, not more. */
const quietTries = 5;
/** Longer than any watch needs to tell of a write; after that the next try may act on old news, and the API server judges. */
const catchUpMs = 5000;

/**
 * Runs the players: a change wakes those who looked at it, a decision is carried out, and a key is not decided again before its own writes
 * are seen. All state is in the cluster; a new engine continues where another stopped.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #informers: Informers;
  readonly #world: World;
  readonly #queue: WorkQueue;
  readonly #executor: Executor;
  readonly #dependencies = new Dependencies();
  readonly #attempts = new AttemptCounter();
  readonly #refusals = new Map<string, Refusal>();
  readonly #failures = new Map<string, number>();
  readonly #players: ReadonlyMap<string, Player>;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: EngineOptions) {
    this.#options = options;
    const { connection, clock, players, signal } = options;
    this.#players = new Map(players.map((player) => [player.kind, player]));
    this.#informers = new Informers({
      api: connection,
      clock,
      observer: {
        watchFailure: ({ type }, error) =>
          options.onTrouble(`the watch of ${type.plural} broke: ${error.message} (opened again)`),
      },
    });
    this.#world = new World(this.#informers, [...new Set(players.flatMap(({ kind, reads }) => [kind, ...reads]))]);
    this.#queue = new WorkQueue({ clock });
    this.#executor = new Executor(options);
    signal.addEventListener('abort', () => this.#queue.close(), { once: true });
  }

  /** Resolves when all there is has been heard of and the players are at work. */
  async start(): Promise<void> {
    this.#world.onChange((kind, change, looks) => {
      for (const look of looks) for (const key of this.#dependencies.of(look)) this.#queue.add(key);
      if (this.#players.has(kind) && change.type !== 'deleted') this.#queue.add(`${kind} ${change.key}`);
      if (change.type === 'deleted') this.#forget(`${kind} ${change.key}`);
    });
    this.#informers.start();
    // Not before: what has not been listed yet must not be taken for missing.
    await this.#informers.synced(this.#options.signal);
    this.#running = Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  /** Ends the watches and waits for what is under way. */
  async close(): Promise<void> {
    this.#queue.close();
    await this.#running;
    await this.#informers.close();
  }

  #forget(key: string): void {
    this.#dependencies.set(key, new Set());
    this.#refusals.delete(key);
    this.#failures.delete(key);
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      try {
        await this.#process(key);
      } catch (error) {
        if (!this.#options.signal.aborted) this.#retry(key, `${key}: ${(error as Error).message}`);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #process(key: string): Promise<void> {
    const [kind, name] = key.split(' ') as [KindName, string];
    const player = this.#players.get(kind);
    const object = this.#world.find<Stored>(kind, name);
    if (player === undefined || object === undefined) return this.#forget(key);
    const looks = new Set<string>();
    const nowMs = this.#options.clock.now();
    const decision = player.play(object, {
      read: this.#world.reader(looks),
      time: { nowMs, speed: this.#options.scenario.speed },
      scenario: this.#options.scenario,
      refusal: this.#refusals.get(key),
      attemptAt: (url, uid) => this.#attempts.of(url, uid),
    });
    this.#dependencies.set(key, looks);
    const outcome = decision.effects.length === 0 ? undefined : await this.#executor.execute(decision.effects, nowMs);
    if (outcome !== undefined) await this.#settle(key, outcome);
    if (outcome?.failure !== undefined) return this.#recover(key, outcome.failure);
    this.#failures.delete(key);
    if (decision.wakeAtMs !== undefined) this.#queue.addAfter(key, Math.max(0, decision.wakeAtMs - this.#options.clock.now()));
  }

  async #settle(key: string, { versions, created }: Outcome): Promise<void> {
    if (created.some((kind) => kind === this.#refusals.get(key)?.kind)) this.#refusals.delete(key);
    for (const [kind, version] of versions) await this.#world.reached(kind, version, catchUpMs);
  }

  #recover(key: string, { effect, error }: { effect: Effect; error: unknown }): void {
    if (this.#options.signal.aborted) return;
    const isRefused = error instanceof ApiError && (error.code === 403 || error.code === 422) && effect.do === 'create';
    if (isRefused) {
      const count = (this.#refusals.get(key)?.count ?? 0) + 1;
      this.#refusals.set(key, {
        kind: effect.kind,
        code: error.code,
        message: wordsOf(error),
        count,
        atMs: this.#options.clock.now(),
      });
      this.#queue.add(key);
      return;
    }
    // Gone, changed or made meanwhile: the cache is about to learn of it.
    const isStale =
      error instanceof ApiError && (error.code === 404 || error.code === 409 || error.code === 422 || isAlreadyExists(error));
    const isPersistent = (this.#failures.get(key) ?? 0) >= quietTries;
    this.#retry(key, isStale && !isPersistent ? undefined : `${key}: ${(error as Error).message}`);
  }

  #retry(key: string, sentence: string | undefined): void {
    const count = this.#failures.get(key) ?? 0;
    this.#failures.set(key, count + 1);
    if (sentence !== undefined) this.#options.onTrouble(`${sentence} (tried again)`);
    this.#queue.addAfter(key, Math.min(firstRetryMs * 2 ** Math.min(count, 20), longestRetryMs));
  }
}

/** The API server's words without our request in front. */
function wordsOf(error: ApiError): string {
  return error.message.replace(/^[A-Z]+ \S+: /, '');
}
