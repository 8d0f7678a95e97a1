import { chmod, rm } from 'node:fs/promises';
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { asRefusal, type Refusal, refusalCodes } from './refusal.ts';

/** A service and what answers its calls; calls without an answer are refused as unimplemented. */
export interface Answered {
  readonly service: ServiceClientConstructor;
  readonly methods: Readonly<Record<string, (request: never) => Promise<object>>>;
}

export interface ServerOptions {
  readonly socket: string;
  readonly services: readonly Answered[];
  readonly onRefusal: (method: string, refusal: Refusal) => void;
}

/** Longer names of sockets are cut off by the kernel. */
const longestSocket = 107;
const shutdownMs = 5000;

/** Answers calls on a unix socket that only this user may open. */
export class SocketServer {
  readonly #server: Server;
  readonly #socket: string;

  private constructor(server: Server, socket: string) {
    this.#server = server;
    this.#socket = socket;
  }

  static async listen({ socket, services, onRefusal }: ServerOptions): Promise<SocketServer> {
    if (Buffer.byteLength(socket) > longestSocket) {
      throw new Error(`The path ${socket} is too long for a socket (more than ${longestSocket} bytes): use a shorter directory.`);
    }
    const server = new Server();
    for (const { service, methods } of services) server.addService(service.service, implementation(methods, onRefusal));
    // A killed process leaves its socket behind; who else could own it was settled before.
    await rm(socket, { force: true });
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(new Error(`Cannot listen on ${socket}: ${error.message}`, { cause: error })),
      ),
    );
    await chmod(socket, 0o600);
    return new SocketServer(server, socket);
  }

  /** Lets calls under way end, for a while; what they do is safe to break off. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#server.forceShutdown();
        resolve();
      }, shutdownMs);
      this.#server.tryShutdown(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    await rm(this.#socket, { force: true });
  }
}

function implementation(methods: Answered['methods'], onRefusal: ServerOptions['onRefusal']): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => {
      const answer: handleUnaryCall<object, object> = (call, callback) => {
        method(call.request as never).then(
          (response) => callback(null, response),
          (error: unknown) => {
            const refusal = asRefusal(error, name);
            onRefusal(name, refusal);
            callback({ code: refusalCodes[refusal.code], details: refusal.message });
          },
        );
      };
      return [name, answer];
    }),
  );
}
