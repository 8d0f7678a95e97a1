import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** This machine, and nobody else. */
export const localAddress = '127.0.0.1';

/** A server at work. */
export interface LocalServer {
  readonly port: number;
  /** Ends it, and what is under way. */
  close(): Promise<void>;
}

/** Lets a server listen on this machine only. Default port: any that is free. */
export async function listenLocally(server: HttpServer | HttpsServer, port = 0): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, localAddress, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
