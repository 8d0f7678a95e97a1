import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Passes connections from an address that pods reach to a port on loopback: the API server listens on nothing else.
 * Whoever connects still has to prove to the API server who it is.
 */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(from: { readonly address: string; readonly port: number }, toPort: number): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true });
    const relay = new Relay(server);
    server.on('connection', (client) => relay.#pass(client, toPort));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: from.address, port: from.port }, resolve);
    });
    return relay;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(client: Socket, port: number): void {
    const target = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('error', () => other.destroy());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        // One that ended in order has told the other so, which may still have something to say.
        if (!socket.readableEnded) other.destroy();
      });
      socket.pipe(other);
    }
  }
}
