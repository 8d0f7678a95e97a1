import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ranges from which Linux (32768) and macOS (49152) take ports for outgoing connections, so a port found free
 * is not taken by somebody's connection a moment later; random, so that two searches at once rarely meet.
 */
const range = { from: 20_000, to: 32_000 };

/** A loopback port that nobody listens on right now. Whoever uses it must still expect "address in use" and ask again. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(range.from, range.to);
    if (await isPortFree(port)) return port;
  }
  throw new Error(
    `no free TCP port found on 127.0.0.1 between ${range.from} and ${range.to}; close programs that listen there and try again`,
  );
}

/** Whether a server could listen on this loopback port right now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
