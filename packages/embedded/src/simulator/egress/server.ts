import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EgressCounter } from './counter.ts';

/** Serves the counter as JSON on `GET /egress`, on this machine only. Read-only. */
export async function serveEgress(counter: EgressCounter, port = 0): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const isRead = request.method === 'GET' && request.url === '/egress';
    response.writeHead(isRead ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRead ? { urls: counter.summary() } : { message: 'There is only GET /egress.' }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/egress`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
