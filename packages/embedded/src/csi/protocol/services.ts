import { join } from 'node:path';
import { loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ProtocolFile } from './ensure.ts';

/** Both ends of each service, made from the description of the protocol. */
export interface Services {
  readonly Identity: ServiceClientConstructor;
  readonly Controller: ServiceClientConstructor;
  readonly Node: ServiceClientConstructor;
  readonly Registration: ServiceClientConstructor;
}

interface Loaded {
  readonly csi: { readonly v1: Omit<Services, 'Registration'> };
  readonly pluginregistration: Pick<Services, 'Registration'>;
}

/** Sizes fit a double up to 8 PiB, so int64 becomes a number. */
const loading = { longs: Number, enums: String, defaults: true, oneofs: true } as const;

export function loadServices(directory: string): Services {
  const names: readonly ProtocolFile[] = ['csi.proto', 'pluginregistration.proto'];
  const definition = loadSync(
    names.map((name) => join(directory, name)),
    loading,
  );
  const { csi, pluginregistration } = loadPackageDefinition(definition) as unknown as Loaded;
  const { Identity, Controller, Node } = csi.v1;
  return { Identity, Controller, Node, Registration: pluginregistration.Registration };
}
