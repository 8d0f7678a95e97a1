import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#clock/clock.ts';
import type { ApiCall } from '../api-call.ts';
import type { RequestEntry } from '../request-log.ts';
import type { Gates } from './gates.ts';
import type { RequestFault } from './plan.ts';
import { readInThePast } from './time-travel.ts';
import type { Upstream, UpstreamRequest, WholeReply } from './upstream.ts';

export interface ExchangeParts {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly gates: Gates;
  readonly signal: AbortSignal;
  readonly kill: (entry: RequestEntry) => void | Promise<void>;
}

/** One request that is not a watch, as the plan wants it. */
export interface Exchange {
  /** Undefined for paths that name no resource. */
  readonly call: ApiCall | undefined;
  readonly entry: RequestEntry | undefined;
  readonly forward: UpstreamRequest;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly fault: RequestFault | undefined;
}

export async function runExchange(parts: ExchangeParts, exchange: Exchange): Promise<void> {
  const { fault, entry, request, response } = exchange;
  const { kill, signal } = parts;
  switch (fault?.fault) {
    case 'refuse':
      return reset(request, entry);
    case 'answer':
      return send(response, entry, answerOf(fault));
    case 'hang':
      return untilAborted(signal);
    case 'kill-client':
      if (fault.when === 'before') {
        await kill(entry!);
        return reset(request, entry);
      }
      break;
    default:
      break;
  }
  if (fault !== undefined && isOf(fault, 'request')) await wait(parts, fault);
  const reply = await replyOf(parts, exchange);
  note(entry, reply);
  if (fault !== undefined && isOf(fault, 'reply')) await wait(parts, fault);
  await deliver(parts, exchange, reply);
}

async function deliver({ kill, clock, signal }: ExchangeParts, exchange: Exchange, reply: WholeReply): Promise<void> {
  const { fault, entry, request, response } = exchange;
  switch (fault?.fault) {
    case 'lose-reply':
      return reset(request, entry);
    case 'kill-client':
      if (fault.when === 'applied') {
        await kill(entry!);
        return reset(request, entry);
      }
      await send(response, entry, reply);
      return kill(entry!);
    case 'slow-body': {
      begin(response, entry, reply);
      for (let at = 0; at < reply.body.length; at += fault.chunkBytes) {
        response.write(reply.body.subarray(at, at + fault.chunkBytes));
        await clock.sleep(fault.everyMs, signal);
      }
      response.end();
      return undefined;
    }
    case 'close-after': {
      const { socket } = request;
      await send(response, entry, reply);
      socket.destroy();
      return undefined;
    }
    default:
      return send(response, entry, reply);
  }
}

function replyOf({ upstream }: ExchangeParts, { call, fault, forward }: Exchange): Promise<WholeReply> {
  const isRead = call?.verb === 'list' || (call?.verb === 'get' && call.subresource === undefined);
  if (fault?.fault === 'time-travel' && isRead) return readInThePast(upstream, forward, call, fault.resourceVersion);
  return upstream.exchange(forward);
}

const isOf = (fault: RequestFault, side: 'request' | 'reply'): boolean =>
  (fault.fault === 'delay' || fault.fault === 'hold') && (fault.of ?? 'request') === side;

async function wait({ clock, gates, signal }: ExchangeParts, fault: RequestFault): Promise<void> {
  if (fault.fault === 'delay') await clock.sleep(fault.ms, signal);
  if (fault.fault === 'hold') await gates.passed(fault.gate, signal);
}

/** A write's new version is what tests travel back to and compare histories by. */
function note(entry: RequestEntry | undefined, { code, body }: WholeReply): void {
  if (entry?.write === undefined || code >= 300) return;
  const { metadata } = JSON.parse(body.toString('utf8')) as { metadata?: { resourceVersion?: string } };
  entry.resourceVersion = metadata?.resourceVersion;
}

/** The client sees the connection break, not a refusal. */
function reset(request: IncomingMessage, entry: RequestEntry | undefined): void {
  if (entry !== undefined) entry.code = 0;
  request.socket.resetAndDestroy();
}

function begin(response: ServerResponse, entry: RequestEntry | undefined, { code, headers, body }: WholeReply): void {
  if (entry !== undefined) entry.code = code;
  response.writeHead(code, { ...headers, 'content-length': body.length });
}

function send(response: ServerResponse, entry: RequestEntry | undefined, reply: WholeReply): Promise<void> {
  begin(response, entry, reply);
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.end(reply.body, () => resolve());
  });
}

function answerOf({ code, reason, message, retryAfterSeconds }: Extract<RequestFault, { fault: 'answer' }>): WholeReply {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const text = message ?? `the fault proxy answers ${code}`;
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text,
    reason: reason ?? reasons[code] ?? '',
    ...details,
    code,
  };
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  return { code, headers, body: Buffer.from(JSON.stringify(status)) };
}

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** Resolves when nobody waits for the answer any more. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
