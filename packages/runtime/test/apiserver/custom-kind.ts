import type { ApiTransport, KubeObject, ResourceType } from '@terrain/runtime';
import { isConflict, isNotFound } from '@terrain/runtime';
import { until } from '../until.ts';

/** An object of a kind made for a test. */
export interface Sample extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface CustomKind {
  readonly type: ResourceType;
  readonly kind: string;
}

/** A kind of its own for each test, so that suites share a cluster and nothing else. */
export function customKind(plural: string, namespaced = true): CustomKind {
  const type = { group: 'runtime.test', version: 'v1', plural, namespaced };
  return { type, kind: `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}` };
}

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function crdOf({ type, kind }: CustomKind): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${type.plural}.${type.group}` },
    spec: {
      group: type.group,
      scope: type.namespaced ? 'Namespaced' : 'Cluster',
      names: { plural: type.plural, singular: kind.toLowerCase(), kind },
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { ...open, properties: { size: { type: 'integer', minimum: 0 } } },
                status: open,
              },
            },
          },
        },
      ],
    },
  } as KubeObject;
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Creates the kind and waits until the server takes writes of it, which is a moment after it says so. */
export async function installKind(api: ApiTransport, custom: CustomKind): Promise<void> {
  await api.request({ method: 'POST', path: crds, body: crdOf(custom) });
  await until(`kind ${custom.kind}`, async () => {
    const path = `/apis/${custom.type.group}/${custom.type.version}/${custom.type.plural}`;
    return api.request({ method: 'GET', path, query: { limit: 1 } }).then(
      () => true,
      (error) => {
        if (isNotFound(error) || isConflict(error)) return false;
        throw error;
      },
    );
  });
}

export async function removeKind(api: ApiTransport, { type }: CustomKind): Promise<void> {
  await api.request({ method: 'DELETE', path: `${crds}/${type.plural}.${type.group}` });
}

export function sample({ type, kind }: CustomKind, name: string, namespace: string, spec: Sample['spec'] = {}): Sample {
  return { apiVersion: `${type.group}/${type.version}`, kind, metadata: { name, namespace }, spec };
}
