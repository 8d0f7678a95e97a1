import type { ServerResponse } from 'node:http';
import type { Clock } from '#clock/clock.ts';
import type { ApiCall } from '../api-call.ts';
import type { RequestLog } from '../request-log.ts';
import type { Gates } from './gates.ts';
import type { EventFault, WatchFault } from './plan.ts';
import type { RuleBook } from './rule-book.ts';

export interface RelayParts {
  readonly call: ApiCall;
  /** Number of the watch request in the log. */
  readonly number: number;
  readonly response: ServerResponse;
  readonly log: RequestLog;
  readonly clock: Clock;
  readonly gates: Gates;
  /** Aborted when the client has gone or the proxy ends. */
  readonly signal: AbortSignal;
  /** Asked for every event, so that a plan may change while the watch is open. */
  readonly rules: () => RuleBook;
  readonly fault: WatchFault | undefined;
  /** Events newer than this version wait for the gate. */
  readonly past: { readonly resourceVersion: string; readonly gate: string } | undefined;
}

interface EventLine {
  readonly type: string;
  readonly object: {
    readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string };
  };
}

/** What becomes of the stream after an event. */
type Verdict = 'go-on' | 'ended' | 'silent';

/** Passes the events of one watch on, each as the plan wants it, never out of order. */
export class WatchRelay {
  readonly #parts: RelayParts;
  readonly #repeats = new Set<{ readonly line: string; readonly afterEvents: number }>();
  #passed = 0;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** Runs until the stream ends, from whichever side. */
  async run(lines: AsyncIterable<string>): Promise<void> {
    if (this.#passed >= this.#limit && (await this.#reachLimit()) !== 'go-on') return;
    for await (const [line, arrivedAt] of this.#arrivals(lines)) {
      const verdict = await this.#relay(line, arrivedAt);
      if (verdict !== 'go-on') return;
    }
    this.#parts.response.end();
  }

  /** Reads ahead of the sender, so that a lag delays each event once and not one after the other. */
  async *#arrivals(lines: AsyncIterable<string>): AsyncGenerator<[string, number]> {
    const waiting: [string, number][] = [];
    let wake = Promise.withResolvers<void>();
    let isDone = false;
    const reading = (async () => {
      try {
        for await (const line of lines) {
          waiting.push([line, this.#parts.clock.monotonic()]);
          wake.resolve();
        }
      } finally {
        isDone = true;
        wake.resolve();
      }
    })();
    // Its failure is thrown below, by the await.
    reading.catch(() => undefined);
    for (;;) {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
      if (isDone) break;
      wake = Promise.withResolvers<void>();
      if (waiting.length === 0) await wake.promise;
    }
    await reading;
  }

  async #relay(line: string, arrivedAt: number): Promise<Verdict> {
    const { clock, signal, fault } = this.#parts;
    const event = JSON.parse(line) as EventLine;
    const facts = this.#facts(event);
    const rule = this.#parts.rules().forEvent(facts);
    this.#parts.log.event({
      watch: this.#parts.number,
      ...facts,
      resourceVersion: event.object.metadata?.resourceVersion,
      fault: rule === undefined ? undefined : (rule.name ?? rule.do.fault),
    });
    if (fault?.fault === 'lag') await clock.sleep(Math.max(0, arrivedAt + fault.ms - clock.monotonic()), signal);
    await this.#waitForPresent(event);
    if (rule !== undefined) await this.#wait(rule.do);
    if (rule?.do.fault === 'drop') return 'go-on';
    const verdict = await this.#pass(line);
    if (verdict !== 'go-on' || rule?.do.fault !== 'duplicate') return verdict;
    this.#repeats.add({ line, afterEvents: this.#passed + (rule.do.afterEvents ?? 0) });
    return this.#repeat();
  }

  #facts(event: EventLine) {
    const { group, resource } = this.#parts.call;
    const { namespace, name } = event.object.metadata ?? {};
    return { type: event.type, group, resource, namespace, name };
  }

  async #wait(fault: EventFault): Promise<void> {
    const { clock, gates, signal } = this.#parts;
    if (fault.fault === 'delay') await clock.sleep(fault.ms, signal);
    if (fault.fault === 'hold') await gates.passed(fault.gate, signal);
  }

  async #waitForPresent({ object }: EventLine): Promise<void> {
    const { past, gates, signal } = this.#parts;
    if (past === undefined || BigInt(object.metadata?.resourceVersion ?? '0') <= BigInt(past.resourceVersion)) return;
    await gates.passed(past.gate, signal);
  }

  async #pass(line: string): Promise<Verdict> {
    // A reset right after must not take along what was passed before, so each line is out of our hands before the next step.
    await new Promise<void>((resolve) => {
      this.#parts.response.once('close', resolve);
      this.#parts.response.write(`${line}\n`, () => {
        this.#parts.response.off('close', resolve);
        resolve();
      });
    });
    this.#passed++;
    if (this.#passed >= this.#limit) return this.#reachLimit();
    return this.#repeat();
  }

  async #repeat(): Promise<Verdict> {
    const due = [...this.#repeats].find(({ afterEvents }) => afterEvents <= this.#passed);
    if (due === undefined) return 'go-on';
    this.#repeats.delete(due);
    return this.#pass(due.line);
  }

  get #limit(): number {
    const { fault } = this.#parts;
    return fault === undefined || fault.fault === 'lag' ? Number.POSITIVE_INFINITY : (fault.afterEvents ?? 0);
  }

  async #reachLimit(): Promise<Verdict> {
    const { fault, response, signal } = this.#parts;
    switch (fault?.fault) {
      case 'close-watch':
        if (fault.how === 'reset') response.socket?.resetAndDestroy();
        else response.end();
        return 'ended';
      case 'expire':
        response.end(`${JSON.stringify({ type: 'ERROR', object: expiredStatus })}\n`);
        return 'ended';
      case 'blackhole':
        response.flushHeaders();
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
        return 'silent';
      default:
        return 'go-on';
    }
  }
}

/** What a server says whose history does not reach back far enough. */
export const expiredStatus = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'too old resource version',
  reason: 'Expired',
  code: 410,
} as const;
