import { type Client, credentials, type ServiceError } from '@grpc/grpc-js';
import type { Services } from '#csi/protocol/services.ts';

type Call = (request: object, callback: (error: ServiceError | null, response: unknown) => void) => void;

/** Calls a driver over its socket, as the programs of Kubernetes do. */
export class CsiClient {
  readonly #clients: Readonly<Record<string, Client>>;

  constructor(services: Services, socket: string, names: readonly (keyof Services)[] = ['Identity', 'Controller', 'Node']) {
    this.#clients = Object.fromEntries(
      names.map((name) => [name, new services[name](`unix:${socket}`, credentials.createInsecure())]),
    );
  }

  /** Rejects with the driver's code (a number of gRPC's) and its sentence in `details`. */
  call<Response = object>(method: string, request: object = {}): Promise<Response> {
    const client = Object.values(this.#clients).find((one) => method in one)!;
    return new Promise((resolve, reject) => {
      const call = (client as unknown as Record<string, Call>)[method]!.bind(client);
      call(request, (error, response) => (error === null ? resolve(response as Response) : reject(error)));
    });
  }

  close(): void {
    for (const client of Object.values(this.#clients)) client.close();
  }
}
