import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeObject } from '@terrain/runtime';
import { parse } from 'yaml';
import { EmbeddedError } from '#embedded-error.ts';
import { type CustomResourceDefinition, isCustomResourceDefinition } from './custom-resource-definition.ts';
import { parseGoStringMap } from './go-map.ts';
import { kubeVirtDefinitions } from './kubevirt-crd.ts';

/** What is taken from other projects: nothing of it is ours, all of it is pinned. */
export interface Upstream {
  readonly definitions: readonly CustomResourceDefinition[];
  /** kwok's description of how nodes and pods come to be ready, complete and gone. */
  readonly nodeStages: readonly KubeObject[];
  /** The rights kwok needs, as its authors list them. */
  readonly nodeRole: KubeObject;
}

/** How many definitions each project has at the pinned version; another number means that extraction went wrong. */
const expected = { cdi: 12, kubevirt: 20, snapshot: 6, network: 1 } as const;

const stageFiles = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
];

/** Reads the unpacked modules; `directoryOf` says where each is. */
export async function extractUpstream(directoryOf: (module: string) => string): Promise<Upstream> {
  const read = (module: string, file: string) => readFile(join(directoryOf(module), file), 'utf8');
  const kwok = 'sigs.k8s.io/kwok';
  const found = {
    cdi: cdiDefinitions(await read('kubevirt.io/containerized-data-importer', 'pkg/operator/resources/crds_generated.go')),
    kubevirt: kubeVirtDefinitions(
      parseGoStringMap(
        await read('kubevirt.io/kubevirt', 'pkg/virt-operator/resource/generate/components/validations_generated.go'),
      ),
    ),
    snapshot: await snapshotDefinitions(
      join(directoryOf('github.com/kubernetes-csi/external-snapshotter/client/v8'), 'config/crd'),
    ),
    network: [
      definitionFrom(
        await read('github.com/k8snetworkplumbingwg/network-attachment-definition-client', 'artifacts/networks-crd.yaml'),
      ),
    ],
  };
  checkCounts(found);
  return {
    definitions: Object.values(found).flat(),
    nodeStages: await Promise.all(
      stageFiles.map(async (file) => parse(await read(kwok, `kustomize/stage/${file}`)) as KubeObject),
    ),
    nodeRole: parse(await read(kwok, 'kustomize/rbac/role.yaml')) as KubeObject,
  };
}

export function checkCounts(found: Readonly<Record<keyof typeof expected, readonly unknown[]>>): void {
  for (const [project, count] of Object.entries(expected) as [keyof typeof expected, number][]) {
    if (found[project].length !== count) {
      throw new EmbeddedError(
        'UpstreamChanged',
        `Found ${found[project].length} resource definitions of ${project} instead of ${count}: its files are not those of the pinned version.`,
      );
    }
  }
}

export function cdiDefinitions(source: string): CustomResourceDefinition[] {
  return [...parseGoStringMap(source).values()].map(definitionFrom);
}

/** Parses one definition and drops what only a server may write. */
export function definitionFrom(text: string): CustomResourceDefinition {
  const value: unknown = parse(text);
  if (!isCustomResourceDefinition(value)) {
    throw new EmbeddedError('UpstreamChanged', 'A file that should hold a CustomResourceDefinition holds something else.');
  }
  const { creationTimestamp: _timestamp, ...metadata } = value.metadata;
  const { status: _status, ...definition } = value as CustomResourceDefinition & { status?: unknown };
  return { ...definition, metadata };
}

async function snapshotDefinitions(directory: string): Promise<CustomResourceDefinition[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml').sort();
  return Promise.all(files.map(async (name) => definitionFrom(await readFile(join(directory, name), 'utf8'))));
}
