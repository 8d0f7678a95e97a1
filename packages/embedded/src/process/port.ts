import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Below the ranges from which Linux (32768) and macOS (49152) take ports for outgoing connections, so a port found free
 * is not taken by somebody's connection a moment later; random, so that two searches at once rarely meet.
 */
const usualRange = { from: 20_000, to: 32_000 };

/**
 * A loopback port that nobody listens on and that no process of ours gets while this one lives, whether anybody listens there yet or not: between
 * the choice and the listening lie seconds, and a server that is started again leaves its port for a moment. Programs of others know nothing of
 * this, so whoever uses the port must still expect "address in use" and ask again.
 */
export async function freePort(range = usualRange): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(range.from, range.to);
    if ((await isPortFree(port)) && (await claim(port))) return port;
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

/**
 * A claim is the UDP port of the same number, held until this process ends: a lock that all processes see, that nobody has to clean up, and that
 * does not stand in the way of the server for which the TCP port is meant.
 */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => resolve(true));
  });
}
