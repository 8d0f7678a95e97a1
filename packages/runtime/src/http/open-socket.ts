import { connect as connectPlain, isIP, type Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';

/** Whom to connect to, and how to tell that it is the right one. */
export interface Peer {
  /** `https://host:port` or `http://host:port`. */
  readonly origin: string;
  readonly tls?: {
    readonly secureContext?: SecureContext;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
}

const connectMs = 10_000;
const keepAliveMs = 60_000;

/** Begins to connect; `onReady` is called when requests can be sent. A connection that takes too long, or is to the wrong one, ends with an error. */
export function openSocket({ origin, tls }: Peer, onReady: () => void): Socket {
  const { protocol, hostname, port } = new URL(origin);
  // An address of IPv6 stands in brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isSecure = protocol === 'https:';
  const to = {
    host,
    port: Number(port || (isSecure ? 443 : 80)),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
  };
  const socket = isSecure ? connectSecurely({ ...to, ...tls, servername: tls?.servername ?? nameOf(host) }) : connectPlain(to);
  const ready = isSecure ? 'secureConnect' : 'connect';
  let isWaiting = true;
  const giveUp = (): void => {
    if (isWaiting) socket.destroy(new Error(`no connection to ${host}:${to.port} within ${connectMs / 1000} s`));
  };
  // A process that was stopped for that time looks first whether there is one by now.
  const late = setTimeout(() => setImmediate(giveUp), connectMs);
  const settle = (): void => {
    isWaiting = false;
    clearTimeout(late);
  };
  return socket.once(ready, settle).once(ready, onReady).once('close', settle);
}

function connectSecurely(options: ConnectionOptions): Socket {
  // Imported, it would put the certificates of all authorities there are into words.
  const { connect } = process.getBuiltinModule('node:tls');
  return connect({ ...options, ALPNProtocols: ['http/1.1'] });
}

/** A server is told the name it is asked under, unless that is an address. */
const nameOf = (host: string): string => (isIP(host) === 0 ? host : '');
