/** The cluster of the CRD suites: the six kinds and nothing else, so that what refuses an object is its CRD. */
import { crdOf, type KindDefinition, kinds } from '@terrain/api';
import { testCluster } from '@terrain/embedded/testing';
import { applyManifests, type Connection, type KubeObject, resourcePath } from '@terrain/runtime';

export interface CrdCluster {
  readonly connection: Connection;
  /** A namespace for objects that need one. */
  readonly namespace: string;
}

let shared: Promise<CrdCluster> | undefined;

export function crdCluster(): Promise<CrdCluster> {
  shared ??= start();
  return shared;
}

async function start(): Promise<CrdCluster> {
  const cluster = await testCluster();
  const connection = cluster.connection();
  await applyManifests(connection, kinds.map(crdOf), { fieldManager: 'test' });
  return { connection, namespace: await cluster.namespace('crd') };
}

/** The definition of an object's kind. */
export function definitionOf(object: { readonly kind: string }): KindDefinition {
  const definition = kinds.find(({ kind }) => kind === object.kind);
  if (definition === undefined) throw new TypeError(`${object.kind} is no kind of ours`);
  return definition;
}

/** The object in the namespace of the suite, or without one when its kind has none. */
export function placed<T extends KubeObject>(object: T, namespace: string): T {
  const { namespace: _, ...metadata } = object.metadata;
  const isNamespaced = definitionOf(object).scope === 'Namespaced';
  return { ...object, metadata: isNamespaced ? { ...metadata, namespace } : metadata };
}

export function pathOf(object: KubeObject, at: 'collection' | 'object'): string {
  const { group, version, plural, scope } = definitionOf(object);
  const { name, namespace } = object.metadata;
  const address = { namespace, ...(at === 'object' && name !== undefined ? { name } : {}) };
  return resourcePath({ group, version, plural, namespaced: scope === 'Namespaced' }, address);
}

/** Has the API server judge the object as a whole, without storing it; the answer is the object with its defaults. */
export async function judge<T extends KubeObject>(object: T): Promise<T> {
  const { connection, namespace } = await crdCluster();
  const body = placed(object, namespace);
  return connection.request<T>({ method: 'POST', path: pathOf(body, 'collection'), query: { dryRun: 'All' }, body });
}
