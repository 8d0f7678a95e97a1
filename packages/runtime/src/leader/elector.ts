import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '#clock/clock.ts';
import { microTime } from '#clock/micro-time.ts';
import type { Logger } from '#log/logger.ts';
import { isAlreadyExists, isConflict, isNotFound } from '#transport/api-error.ts';
import type { ApiTransport } from '#transport/api-transport.ts';
import { Resource } from '#transport/resource.ts';
import { isFree, type Lease, leases, type Sighting, sight } from './lease.ts';

/** Which Lease a candidate wants, and its patience. All candidates of one Lease use the same times. */
export interface ElectorOptions {
  readonly api: ApiTransport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Who we are in it. Default: host name and a random part, new with each process. */
  readonly identity?: string;
  /** How long others leave us alone after our last renewal. Default 15 s. */
  readonly leaseMs?: number;
  /** How long after our last renewal we still act; less than `leaseMs`. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** How often to renew, or to look. Default 2 s. */
  readonly retryMs?: number;
  readonly random?: () => number;
}

/** The lease could not be renewed in time, or somebody else has it: whoever acts must stop. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

/** For giving the lease back, which nothing but time ends. */
const releaseMs = 3000;

interface Call {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * One candidate for a Lease.
 *
 * Guarantees: time is measured on the monotonic clock of this process, so jumps of the wall clock, here or elsewhere, neither end nor prolong a
 * leadership; `isLeading` is false from `renewDeadlineMs` after the last renewal on, before anybody else may begin, also when this process
 * was stopped and no timer could fire. Given back on `release`.
 * Caveats: a lease is no fence. A write sent in the last moment can arrive late; only its precondition stops it.
 */
export class Elector {
  readonly identity: string;
  readonly #options: Required<Omit<ElectorOptions, 'identity'>>;
  readonly #resource: Resource<Lease>;
  #sighting: Sighting | undefined;
  /** When the request of the last successful renewal was sent; the server counts from later. */
  #renewedAt: number | undefined;

  constructor(options: ElectorOptions) {
    this.#options = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2000, random: Math.random, ...options };
    const { leaseMs, renewDeadlineMs, retryMs } = this.#options;
    if (!(retryMs > 0 && retryMs < renewDeadlineMs && renewDeadlineMs < leaseMs && leaseMs >= 1000))
      throw new RangeError(
        `expected retryMs < renewDeadlineMs < leaseMs and a lease of a second or more, got ${retryMs}, ${renewDeadlineMs}, ${leaseMs}`,
      );
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.#resource = new Resource<Lease>(options.api, leases);
  }

  /** True only while nobody else can have begun to lead. Cheap: asked before every write. */
  get isLeading(): boolean {
    const { clock, renewDeadlineMs } = this.#options;
    return this.#renewedAt !== undefined && clock.monotonic() - this.#renewedAt < renewDeadlineMs;
  }

  /** Waits until this candidate leads. Rejects only when the signal is aborted. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { clock, log, namespace, name } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (await this.#attempt(signal)) break;
      await clock.sleep(this.#jittered(), signal);
    }
    log.info({ lease: `${namespace}/${name}`, identity: this.identity }, 'leading');
  }

  /** Renews until the signal is aborted; rejects with LeadershipLostError when it could not. */
  async hold(signal: AbortSignal): Promise<void> {
    const { clock, renewDeadlineMs, retryMs } = this.#options;
    let begunAt = clock.monotonic();
    try {
      for (;;) {
        await clock.sleep(Math.max(0, begunAt + retryMs - clock.monotonic()), signal);
        begunAt = clock.monotonic();
        const lostAt = (this.#renewedAt ?? begunAt) + renewDeadlineMs;
        if (begunAt >= lostAt) throw new LeadershipLostError(`the lease was not renewed for ${renewDeadlineMs / 1000} s`);
        // Not all the time there is: what hangs on a socket whose other end is gone is answered on the next.
        await this.#attempt(signal, Math.min(lostAt, begunAt + renewDeadlineMs / 2));
        const holder = this.#sighting?.lease.spec?.holderIdentity;
        if (holder !== this.identity) throw new LeadershipLostError(`the lease is held by ${holder || 'nobody'} now`);
      }
    } catch (error) {
      if (error instanceof LeadershipLostError) this.#renewedAt = undefined;
      if (!signal.aborted) throw error;
    }
  }

  /** Gives the lease back, so that others need not wait for it to run out. Failing is no harm but time. */
  async release(): Promise<void> {
    const { clock, log } = this.#options;
    const lease = this.#sighting?.lease;
    if (!this.isLeading || lease === undefined) return;
    this.#renewedAt = undefined;
    const endsAt = clock.monotonic() + releaseMs;
    const call = (): Call => ({ timeoutMs: Math.max(1, endsAt - clock.monotonic()) });
    try {
      const holder = await this.#giveBack(lease, call);
      if (holder === '') log.info('leadership given back');
      else log.info({ holder }, 'nothing to give back: the lease is held by another');
    } catch (error) {
      log.warn({ err: error }, 'leadership could not be given back; others wait until it runs out');
    }
  }

  /** Says who holds the lease then: nobody, or who took it meanwhile. */
  async #giveBack(lease: Lease, call: () => Call): Promise<string> {
    try {
      await this.#vacate(lease, call());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // A renewal that was cut off by the stop may have been carried out all the same: then the version we know is no longer the last.
      const newer = (await this.#look(call())).lease;
      const holder = newer.spec?.holderIdentity ?? '';
      if (holder !== this.identity) return holder;
      await this.#vacate(newer, call());
    }
    return '';
  }

  async #vacate(lease: Lease, call: Call): Promise<void> {
    await this.#resource.replace({ ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } }, call);
  }

  /** One try to get or renew the lease, which is over at a moment of the monotonic clock. True when it is ours. */
  async #attempt(
    signal: AbortSignal,
    endsAt = this.#options.clock.monotonic() + this.#options.renewDeadlineMs,
  ): Promise<boolean> {
    const { clock, log } = this.#options;
    const call = (): Call => ({ signal, timeoutMs: Math.max(1, endsAt - clock.monotonic()) });
    try {
      const held = this.#sighting?.lease;
      if (this.#renewedAt !== undefined && held !== undefined) return await this.#renew(held, call());
      const sighting = await this.#look(call());
      const isOurs = sighting.lease.spec?.holderIdentity === this.identity;
      if (!isOurs && !isFree(sighting, clock.monotonic())) return false;
      return await this.#renew(sighting.lease, call());
    } catch (error) {
      if (signal.aborted) throw error;
      if (isNotFound(error)) return this.#create(call());
      if (isConflict(error)) return this.#judge(call);
      log.warn({ err: error }, 'the lease could not be read or written');
      return false;
    }
  }

  async #create(call: Call): Promise<boolean> {
    const { clock, log, namespace, name } = this.#options;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
    const sentAt = clock.monotonic();
    try {
      return this.#stored(await this.#resource.create({ ...lease, spec: this.#spec(undefined) }, call), sentAt);
    } catch (error) {
      if (!isAlreadyExists(error)) log.warn({ err: error }, 'the lease could not be created');
      return false;
    }
  }

  /** Somebody else wrote, or our own last write got no answer: only a look tells which. That one cost time, so the next follows at once. */
  async #judge(call: () => Call): Promise<boolean> {
    try {
      const { lease } = await this.#look(call());
      const isStillOurs = this.#renewedAt !== undefined && lease.spec?.holderIdentity === this.identity;
      return isStillOurs && (await this.#renew(lease, call()));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the lease could not be read or written');
      return false;
    }
  }

  async #look(call: Call): Promise<Sighting> {
    const { clock, namespace, name } = this.#options;
    const lease = await this.#resource.get({ namespace, name }, call);
    this.#sighting = sight(this.#sighting, lease, clock.monotonic());
    return this.#sighting;
  }

  async #renew(lease: Lease, call: Call): Promise<true> {
    const sentAt = this.#options.clock.monotonic();
    return this.#stored(await this.#resource.replace({ ...lease, spec: this.#spec(lease) }, call), sentAt);
  }

  #spec(lease: Lease | undefined): NonNullable<Lease['spec']> {
    const { clock, leaseMs } = this.#options;
    const now = microTime(clock.now());
    const isOurs = lease?.spec?.holderIdentity === this.identity;
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    return {
      holderIdentity: this.identity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      acquireTime: isOurs ? (lease.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: isOurs || lease === undefined ? transitions : transitions + 1,
    };
  }

  #stored(lease: Lease, sentAt: number): true {
    this.#sighting = { lease, seenAt: sentAt };
    this.#renewedAt = sentAt;
    return true;
  }

  #jittered(): number {
    const { retryMs, random } = this.#options;
    return retryMs * (1 + random() / 5);
  }
}
