import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, type StatusBody } from './api-error.ts';
import type { ApiRequest, ApiResponse } from './api-transport.ts';
import { parseWithoutManagedFields } from './without-managed-fields.ts';

type Headers = IncomingHttpHeaders;

/** Reads a 2xx answer. */
export function toResponse<T>(request: ApiRequest, code: number, headers: Headers, text: string): ApiResponse<T> {
  const parse = request.withoutManagedFields === true ? parseWithoutManagedFields : JSON.parse;
  const isJson = String(headers['content-type'] ?? '').startsWith('application/json');
  return {
    code,
    // Health endpoints and logs answer with plain text; their callers ask for string.
    body: (isJson && text !== '' ? parse(text) : text) as T,
    warnings: headers.warning === undefined ? none : [headers.warning].flat().flatMap(parseWarnings),
    date: toDate(headers.date),
  };
}

const none: readonly string[] = [];
let lastDate: { readonly text: string; readonly date: Date } | undefined;

/** Of the many answers within a second, all but one say the same. */
function toDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  if (lastDate?.text !== text) lastDate = { text, date: new Date(text) };
  return lastDate.date;
}

/** Reads any other answer. */
export function toApiError(request: ApiRequest, code: number, headers: Headers, text: string): ApiError {
  return new ApiError(code, parseStatus(text), `${request.method} ${request.path}`, parseRetryAfter(headers['retry-after']));
}

/** Seconds or a date (RFC 9110); servers in front of the API server use both. */
function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** `299 - "text"`, several in one header separated by commas, quotes inside escaped by a backslash (RFC 7234). */
function parseWarnings(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1'));
}

function parseStatus(text: string): StatusBody | undefined {
  try {
    const body = JSON.parse(text) as StatusBody | null;
    if (body?.kind === 'Status') return body;
  } catch {
    // Not the API server's words, but the only ones there are.
  }
  return text.trim() === '' ? undefined : { message: text.trim().slice(0, 500) };
}
