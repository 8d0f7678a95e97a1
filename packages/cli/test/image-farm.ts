/** A cluster with Terrain's kinds, for commands to talk to. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  crdOf,
  dataSyncKind,
  sourceHash,
  type VMDiskImage,
  type VMDiskImageStatus,
  virtualMachineKind,
  vmDiskImageKind,
} from '@terrain/api';
import { aVMDiskImage, type Override, override } from '@terrain/api/testing';
import { Connection, Resource } from '@terrain/runtime';
import { ApiFake } from '@terrain/runtime/testing';
import { type Finished, Running } from './run-terrain.ts';

const { group, version, plural } = vmDiskImageKind;
const imageType = { group, version, plural, namespaced: true };
export const at = { namespace: 'farm', name: 'debian' };
const hash = sourceHash(aVMDiskImage().spec);

export type Seed = Parameters<ApiFake['seed']>[0];

/** A cluster with Terrain's disk images in it and nothing that acts on them. */
export class Farm implements AsyncDisposable {
  readonly fake: ApiFake;
  readonly #directory = mkdtempSync(join(tmpdir(), 'terrain-image-'));
  readonly connection: Connection;

  private constructor(fake: ApiFake) {
    this.fake = fake;
    this.connection = new Connection(fake.credentials);
  }

  static async start(hasKinds = true): Promise<Farm> {
    const fake = await ApiFake.start();
    for (const name of ['farm', 'sync-operator']) fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (hasKinds)
      for (const kind of [vmDiskImageKind, dataSyncKind, virtualMachineKind]) fake.seed(crdOf(kind) as unknown as Seed);
    return new Farm(fake);
  }

  /** An image and, as the operator would write it, its status. */
  async add(change: Override<VMDiskImage> = {}): Promise<void> {
    const { status, ...image } = override(aVMDiskImage({ metadata: at }), change);
    this.fake.seed(image as unknown as Seed);
    if (status !== undefined) await this.report(status, image.metadata.name);
  }

  async report(status: VMDiskImageStatus, name = at.name): Promise<void> {
    await this.images.mergePatch({ ...at, name, subresource: 'status' }, { status });
  }

  get images(): Resource<VMDiskImage> {
    return new Resource<VMDiskImage>(this.connection, imageType);
  }

  get kubeconfig(): string {
    return kubeconfigIn(this.#directory, this.fake.credentials.server);
  }

  start(...args: string[]): Running {
    return new Running(['image', ...args, '--kubeconfig', this.kubeconfig]);
  }

  run(...args: string[]): Promise<Finished> {
    return this.start(...args).finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
    await this.fake.close();
    rmSync(this.#directory, { recursive: true });
  }
}

export function kubeconfigIn(directory: string, server: string): string {
  const file = join(directory, 'kubeconfig');
  const text = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: {} }],
  };
  writeFileSync(file, JSON.stringify(text));
  return file;
}

const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
export const ready: VMDiskImageStatus = {
  observedGeneration: 1,
  phase: 'Succeeded',
  message: 'machines can clone it',
  conditions: [condition('Ready', 'True', 'Succeeded')],
  artifact: { volumeSnapshot: 's', dataVolume: 'd', sourceHash: hash, syncedAt: '2026-01-01T00:00:00Z' },
};
export const failed: VMDiskImageStatus = {
  observedGeneration: 1,
  phase: 'Failed',
  message: 'given up: the server says 404',
  retry: { sourceHash: hash, gaveUp: { at: '2026-01-01T00:00:00Z', reason: 'SourceNotFound' } },
};
