import { type ApiCall, isWrite, type Verb } from './api-call.ts';

/** Which requests are meant; what is left out does not matter. */
export interface CallMatch {
  /** One verb, several, or all that change something / change nothing. */
  readonly verb?: Verb | 'read' | 'write' | readonly Verb[];
  readonly group?: string;
  /** The plural, as in paths. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** '' means the object itself. */
  readonly subresource?: string;
  /** Requests that match this too are left out, such as the renewals of a lease. */
  readonly not?: CallMatch;
}

/** Whether a call is one of those meant. */
export function matchesCall(match: CallMatch, call: Omit<ApiCall, 'query'>): boolean {
  return (
    matchesVerb(match.verb, call) &&
    (match.group === undefined || match.group === call.group) &&
    (match.resource === undefined || match.resource === call.resource) &&
    (match.namespace === undefined || match.namespace === call.namespace) &&
    (match.name === undefined || match.name === call.name) &&
    (match.subresource === undefined || match.subresource === (call.subresource ?? '')) &&
    (match.not === undefined || !matchesCall(match.not, call))
  );
}

function matchesVerb(verb: CallMatch['verb'], call: Pick<ApiCall, 'verb'>): boolean {
  if (verb === undefined) return true;
  if (verb === 'write') return isWrite(call);
  if (verb === 'read') return !isWrite(call);
  return typeof verb === 'string' ? verb === call.verb : verb.includes(call.verb);
}

export interface RequestEntry extends Omit<ApiCall, 'query'> {
  readonly sort: 'request';
  readonly number: number;
  /** When it arrived, in milliseconds of this process's monotonic clock. */
  readonly atMs: number;
  /** Counts writes only, from 1; undefined for reads. */
  readonly write: number | undefined;
  readonly query: string;
  readonly userAgent: string;
  /** Undefined while there is no answer; 0 when there will be none. */
  code: number | undefined;
  /** Of the object as a write left it; undefined for reads, refusals and deletions. */
  resourceVersion: string | undefined;
  /** What was done to it on purpose. */
  fault: string | undefined;
}

export interface EventEntry {
  readonly sort: 'event';
  readonly number: number;
  /** Number of the watch request it belongs to. */
  readonly watch: number;
  readonly type: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly fault: string | undefined;
}

export type LogEntry = RequestEntry | EventEntry;

/** Requests and watch events in the order they passed, under one numbering. */
export class RequestLog {
  readonly #entries: LogEntry[] = [];
  #writes = 0;

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  get requests(): readonly RequestEntry[] {
    return this.#entries.filter((entry) => entry.sort === 'request');
  }

  /** Notes a request; its answer is filled in later. */
  request({ query, ...call }: ApiCall, userAgent: string): RequestEntry {
    const entry: RequestEntry = {
      sort: 'request',
      number: this.#entries.length + 1,
      atMs: performance.now(),
      write: isWrite(call) ? ++this.#writes : undefined,
      ...call,
      query: query.toString(),
      userAgent,
      code: undefined,
      resourceVersion: undefined,
      fault: undefined,
    };
    this.#entries.push(entry);
    return entry;
  }

  event(entry: Omit<EventEntry, 'sort' | 'number'>): EventEntry {
    const numbered: EventEntry = { sort: 'event', number: this.#entries.length + 1, ...entry };
    this.#entries.push(numbered);
    return numbered;
  }

  /** How many requests match. */
  count(match: CallMatch = {}): number {
    return this.requests.filter((entry) => matchesCall(match, entry)).length;
  }

  /** Requests by verb and resource: `{'list pods': 1, 'patch pods/status': 3}`. */
  tally(match: CallMatch = {}): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const entry of this.requests.filter((request) => matchesCall(match, request))) {
      const key = `${entry.verb} ${entry.resource}${entry.subresource === undefined ? '' : `/${entry.subresource}`}`;
      tally[key] = (tally[key] ?? 0) + 1;
    }
    return tally;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#writes = 0;
  }
}
