import { type Client, credentials, type GrpcObject, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

const method = (requestType: string, responseType: string) => ({ requestType, responseType, comment: '' });

/** The part of the container runtime interface (runtime.v1) that stopping needs; fields that are not named here are skipped by the reader. */
const protocol: Parameters<typeof fromJSON>[0] = {
  nested: {
    runtime: {
      nested: {
        v1: {
          nested: {
            RuntimeService: {
              methods: {
                ListPodSandbox: method('Empty', 'Sandboxes'),
                ListContainers: method('Empty', 'Containers'),
                StopContainer: method('StopContainerRequest', 'Empty'),
                StopPodSandbox: method('StopPodSandboxRequest', 'Empty'),
              },
            },
            Empty: { fields: {} },
            Sandbox: { fields: { id: { type: 'string', id: 1 }, state: { type: 'int32', id: 3 } } },
            Sandboxes: { fields: { items: { rule: 'repeated', type: 'Sandbox', id: 1 } } },
            Container: {
              fields: {
                id: { type: 'string', id: 1 },
                state: { type: 'int32', id: 6 },
                // A map is on the wire a list of pairs.
                annotations: { rule: 'repeated', type: 'Pair', id: 9 },
              },
            },
            Pair: { fields: { key: { type: 'string', id: 1 }, value: { type: 'string', id: 2 } } },
            Containers: { fields: { containers: { rule: 'repeated', type: 'Container', id: 1 } } },
            StopContainerRequest: { fields: { containerId: { type: 'string', id: 1 }, timeout: { type: 'int64', id: 2 } } },
            StopPodSandboxRequest: { fields: { podSandboxId: { type: 'string', id: 1 } } },
          },
        },
      },
    },
  },
};

const containerRunning = 1;
const sandboxReady = 0;
const deadlineMs = 60_000;
/** kubelet writes down how long the pod wants; nobody waits longer than this for a node to stop. */
const graceAnnotation = 'io.kubernetes.pod.terminationGracePeriod';
const mostGraceSeconds = 5;

interface Container {
  readonly id: string;
  readonly state: number;
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

/** Stops all pods of a container runtime: containers are asked to end, then networks are given back. Returns how many pods ran. */
export async function stopAllPods(socket: string): Promise<number> {
  const definition = loadPackageDefinition(fromJSON(protocol, { defaults: true, longs: Number, keepCase: true }));
  const Service = ((definition.runtime as GrpcObject).v1 as GrpcObject).RuntimeService as ServiceClientConstructor;
  const client = new Service(`unix:${socket}`, credentials.createInsecure());
  try {
    const { containers } = await call<{ containers: readonly Container[] }>(client, 'ListContainers', {});
    const running = containers.filter(({ state }) => state === containerRunning);
    await Promise.all(
      running.map(({ id, annotations }) => {
        const grace = Number(annotations.find(({ key }) => key === graceAnnotation)?.value ?? mostGraceSeconds);
        return call(client, 'StopContainer', { containerId: id, timeout: Math.min(grace, mostGraceSeconds) });
      }),
    );
    const { items } = await call<{ items: readonly { id: string; state: number }[] }>(client, 'ListPodSandbox', {});
    const ready = items.filter(({ state }) => state === sandboxReady);
    await Promise.all(ready.map(({ id }) => call(client, 'StopPodSandbox', { podSandboxId: id })));
    return ready.length;
  } finally {
    client.close();
  }
}

function call<T = object>(client: Client, method: string, request: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const send = (client as unknown as Record<string, (...args: unknown[]) => void>)[method]!;
    send.call(client, request, { deadline: Date.now() + deadlineMs }, (error: Error | null, answer: T) =>
      error === null ? resolve(answer) : reject(error),
    );
  });
}
