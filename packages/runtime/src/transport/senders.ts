import { createRequire } from 'node:module';
import type { Peer } from '#http/open-socket.ts';
import type { Sender } from '#http/sender.ts';
import { SocketPool } from '#http/socket-pool.ts';
import type { Credentials } from './credentials.ts';

/** For requests and for streams. */
export interface Senders {
  readonly requests: Sender;
  readonly streams: Sender;
}

/**
 * The sockets of a connection: a bounded pool for requests, and one socket for each stream.
 *
 * HTTP/1.1 for both: a watch owns its socket, so one slow reader never holds up another, and a dead socket is one dead watch.
 */
export function makeSenders(credentials: Credentials, maxSockets: number): Senders {
  const { ca, cert, key, server, tlsServerName, insecureSkipTlsVerify, proxyUrl } = credentials;
  const tls = {
    ...(server.startsWith('https:') ? trustOnce({ ca, cert, key }) : {}),
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
    ...(insecureSkipTlsVerify === true ? { rejectUnauthorized: false } : {}),
  };
  if (proxyUrl !== undefined) return proxied(proxyUrl, tls, maxSockets);
  const peer: Peer = { origin: new URL(server).origin, tls };
  return { requests: new SocketPool(peer, { most: maxSockets }), streams: new SocketPool(peer) };
}

/** Proxies have habits that a library knows better. It is loaded only where there is one. */
function proxied(uri: string, tls: object, connections: number): Senders {
  const { ProxyAgent } = createRequire(import.meta.url)('undici') as typeof import('undici');
  // Requests and streams take as long as the caller's deadline or watchdog says; undici's own limits would only cut in between.
  const limits = { allowH2: false, bodyTimeout: 0, headersTimeout: 0 };
  const options = { uri, requestTls: { ...tls, keepAlive: true, timeout: 10_000 }, proxyTunnel: true, ...limits };
  return { requests: new ProxyAgent({ ...options, connections, keepAliveTimeout: 60_000 }), streams: new ProxyAgent(options) };
}

/**
 * Certificates and keys, read once: otherwise each socket reads them anew and keeps a copy (5 MiB for the forty of an operator). What cannot be read
 * is left to the sockets, whose failure is told to whoever makes a request.
 */
function trustOnce(given: Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>): NonNullable<Peer['tls']> {
  const material = Object.fromEntries(Object.entries(given).filter(([, pem]) => pem !== undefined));
  // Imported, it would put the certificates of all authorities there are into words.
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  try {
    return { secureContext: createSecureContext(material) };
  } catch {
    return material;
  }
}
