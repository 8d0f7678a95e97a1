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
    ...(credentials.server.startsWith('https:') ? trustOnce({ ca, cert, key }) : {}),
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

/**
 * Certificates and keys, read once: otherwise each socket reads them anew and keeps a copy (5 MiB for the forty of an operator). What cannot be read
 * is left to the sockets, whose failure is told to whoever makes a request.
 */
function trustOnce(given: Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>): object {
  const material = Object.fromEntries(Object.entries(given).filter(([, pem]) => pem !== undefined));
  // Imported, it would put the certificates of all authorities there are into words.
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  try {
    return { secureContext: createSecureContext(material) };
  } catch {
    return material;
  }
}
