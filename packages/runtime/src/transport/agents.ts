import { createRequire } from 'node:module';
import type { Dispatcher } from 'undici';
// Not the package's root, which loads fetch, WebSocket and caches along: 6 MiB that nobody here uses.
import Agent from 'undici/lib/dispatcher/agent.js';
import type { Credentials } from './credentials.ts';

/**
 * The sockets of a connection: a bounded pool for requests, and one socket for each stream.
 *
 * HTTP/1.1 for both: a watch owns its socket, so one slow reader never holds up another, and a dead socket is one dead watch.
 */
export function makeAgents(credentials: Credentials, maxSockets: number): { requests: Dispatcher; streams: Dispatcher } {
  const { ca, cert, key, tlsServerName, insecureSkipTlsVerify, proxyUrl } = credentials;
  const connect = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    ...(insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
    keepAlive: true,
    timeout: 10_000,
  };
  // Both take as long as the caller's deadline or watchdog says; undici's own limits would only cut in between.
  const limits = { allowH2: false, bodyTimeout: 0, headersTimeout: 0 };
  const forRequests = { ...limits, connections: maxSockets, keepAliveTimeout: 60_000 };
  if (proxyUrl === undefined)
    return { requests: new Agent({ connect, ...forRequests }), streams: new Agent({ connect, ...limits }) };
  // Here the root is needed: it completes what a proxy's agent is made of.
  const { ProxyAgent } = createRequire(import.meta.url)('undici') as typeof import('undici');
  const proxied = { uri: proxyUrl, requestTls: connect, proxyTunnel: true };
  return { requests: new ProxyAgent({ ...proxied, ...forRequests }), streams: new ProxyAgent({ ...proxied, ...limits }) };
}
