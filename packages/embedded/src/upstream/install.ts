import { createHash } from 'node:crypto';
import { type Connection, Discovery, type KubeList, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import { until } from '#process/until.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const fieldManager = 'terrain-embedded';
/** On each definition of ours: what was applied, so that a restart need not send two megabytes again. */
const digestAnnotation = 'embedded.terrain.dev/digest';

export interface InstallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onInstalled?: (done: number, total: number) => void;
}

/** Applies the definitions that differ from what the server has, and waits until all of them are served. Returns how many it applied. */
export async function installDefinitions(
  connection: Connection,
  definitions: readonly CustomResourceDefinition[],
  options: InstallOptions = {},
): Promise<number> {
  const installed = await installedDigests(connection, options.signal);
  const outdated = definitions
    .map(withDigest)
    .filter(({ metadata }) => installed.get(metadata.name!) !== metadata.annotations?.[digestAnnotation]);
  const resource = new Resource<CustomResourceDefinition>(connection, definitionType);
  let done = definitions.length - outdated.length;
  await Promise.all(
    outdated.map(async (definition) => {
      await resource.apply(definition, {
        fieldManager,
        force: true,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      options.onInstalled?.(++done, definitions.length);
    }),
  );
  await untilServed(connection, definitions, options);
  return outdated.length;
}

function withDigest(definition: CustomResourceDefinition): CustomResourceDefinition {
  const digest = createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 16);
  const annotations = { ...definition.metadata.annotations, [digestAnnotation]: digest };
  return { ...definition, metadata: { ...definition.metadata, annotations } };
}

/** Metadata only: the schemas of all definitions together are megabytes. */
async function installedDigests(connection: Connection, signal: AbortSignal | undefined): Promise<Map<string, string>> {
  const list = await connection.request<{ readonly items: KubeList<KubeObject>['items'] | null }>({
    method: 'GET',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    ...(signal === undefined ? {} : { signal }),
  });
  // A list of metadata with nothing in it has null where other lists have an empty array.
  return new Map((list.items ?? []).map(({ metadata }) => [metadata.name!, metadata.annotations?.[digestAnnotation] ?? '']));
}

/** Discovery lists a kind once its definition is established, which is when objects of it can be created. */
async function untilServed(
  connection: Connection,
  definitions: readonly CustomResourceDefinition[],
  options: InstallOptions,
): Promise<void> {
  const discovery = new Discovery(connection);
  const wanted = definitions.flatMap(({ spec }) =>
    spec.versions
      .filter(({ served }) => served)
      .map(({ name }) => ({ apiVersion: `${spec.group}/${name}`, kind: spec.names.kind })),
  );
  let missing = wanted;
  await until(
    'serving all resource definitions',
    async () => {
      const answers = await Promise.all(missing.map(async (kind) => ((await discovery.find(kind)) === undefined ? [kind] : [])));
      missing = answers.flat();
      return missing.length === 0 ? true : undefined;
    },
    {
      timeoutMs: options.timeoutMs ?? 180_000,
      everyMs: 100,
      signal: options.signal,
      missing: () => `${missing.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`).join(', ')} still missing`,
    },
  );
}
