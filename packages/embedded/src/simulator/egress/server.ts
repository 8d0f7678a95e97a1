import { createServer } from 'node:http';
import { listenLocally, localAddress } from '../local-server.ts';
import type { EgressCounter } from './counter.ts';

/** Serves the counter as JSON on `GET /egress`, on this machine only. Read-only. */
export async function serveEgress(counter: EgressCounter, port = 0): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' && request.url === '/egress';
    response.writeHead(isRead ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRead ? { urls: counter.summary() } : { message: 'There is only GET /egress.' }));
  });
  const { port: bound, close } = await listenLocally(server, port);
  return { url: `http://${localAddress}:${bound}/egress`, close };
}
