/** What the suites about workspaces share. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VMDiskImage, Workspace, WorkspaceSpec } from '@terrain/api';
import { aVMDiskImage, type Override } from '@terrain/api/testing';
import type { OperatorOptions } from '@terrain/operator';
import { ApiError, applyManifests, type KubeObject, type ResourceType } from '@terrain/runtime';
import { parse, parseAllDocuments } from 'yaml';
import { ignoreAbsent } from './platform.ts';
import { Stage, type StageOptions } from './stage.ts';
import { type Thing, types } from './types.ts';

const builtIn = (group: string, plural: string): ResourceType => ({ group, version: 'v1', plural, namespaced: true });
export const workspaces: ResourceType = { group: 'pelotech.ot', version: 'v1alpha1', plural: 'workspaces', namespaced: false };
export const deployments = builtIn('apps', 'deployments');
export const services = builtIn('', 'services');
export const jobs = builtIn('batch', 'jobs');
export const networkPolicies = builtIn('networking.k8s.io', 'networkpolicies');

const examples = join(import.meta.dirname, '../../../../examples/seeds');
const prerequisites = parseAllDocuments(readFileSync(join(examples, '00-prerequisites.yaml'), 'utf8')).map(
  (document) => document.toJS() as Thing,
);
/** The seed as printed. */
export const seed = parse(readFileSync(join(examples, '000-workspace.yaml'), 'utf8')) as Workspace;
/** The sync policy the seed is meant for. */
const seedPolicy = prerequisites.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};

const followed = [workspaces, deployments, services, jobs, networkPolicies, types.networks];
const patienceMs = 120_000;

interface WorldOptions extends StageOptions {
  readonly operator?: Partial<OperatorOptions>;
}

/**
 * A stage with what the seed refers to, an operator, and a stand-in for the node: pods are Ready, and those of Jobs have succeeded, as
 * soon as the controllers of Kubernetes have made them. Everything else about Deployments and Jobs is the real thing.
 */
export class WorkspaceWorld implements AsyncDisposable {
  readonly stage: Stage;
  readonly #detach: (() => void)[] = [];
  /** Images of containers that never start. */
  readonly brokenImages = new Set<string>();

  private constructor(stage: Stage) {
    this.stage = stage;
  }

  static async open({ policy = {}, operator = {}, ...options }: WorldOptions = {}): Promise<WorkspaceWorld> {
    const world = new WorkspaceWorld(await Stage.open({ ...options, policy: { ...seedPolicy, ...policy } }));
    const { stage } = world;
    const needed = prerequisites.filter(
      ({ kind, metadata }) => metadata.name === 'vmdi-farm' || metadata.namespace === 'vmdi-farm' || /Class$/.test(kind),
    );
    await applyManifests(stage.connection, needed as KubeObject[], { fieldManager: 'test' });
    for (const type of followed) await stage.informers.get<Thing>(type).synced;
    world.#detach.push(
      stage.informers.get<Thing>(types.pods).onChange((change) => {
        if (change.type !== 'deleted') void world.#playNode(change.new);
      }),
    );
    await stage.startOperator(operator);
    return world;
  }

  async #playNode(pod: Thing): Promise<void> {
    const { name = '', namespace = '', ownerReferences = [] } = pod.metadata;
    if (!namespace.startsWith('workspace-') || (pod.status?.phase !== 'Pending' && pod.status?.phase !== undefined)) return;
    const isOfJob = ownerReferences.some(({ kind }) => kind === 'Job');
    const { containers } = pod.spec as { containers: { name: string; image: string }[] };
    const broken = containers.filter(({ image }) => this.brokenImages.has(image));
    const status =
      broken.length > 0
        ? {
            containerStatuses: broken.map(({ name: container, image }) => ({
              name: container,
              image,
              imageID: '',
              ready: false,
              restartCount: 0,
              state: { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } },
            })),
          }
        : isOfJob
          ? { phase: 'Succeeded' }
          : { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }] };
    await this.stage
      .resource(types.pods)
      .mergePatch({ name, namespace, subresource: 'status' }, { status })
      .catch(() => undefined);
  }

  create(name: string, spec: WorkspaceSpec): Promise<Workspace> {
    const workspace: Workspace = { apiVersion: 'pelotech.ot/v1alpha1', kind: 'Workspace', metadata: { name }, spec };
    return this.submit(workspace);
  }

  async submit(workspace: Workspace): Promise<Workspace> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.stage.resource<Workspace>(workspaces).create(workspace);
      } catch (error) {
        // The mutating policies answer so for a while after the kinds are new.
        if (!(error instanceof ApiError && error.code === 503) || tries === 600) throw error;
        await sleep(100);
      }
    }
  }

  workspace(name: string): Workspace | undefined {
    return this.stage.informers.get<Workspace>(workspaces).store.get(name);
  }

  child<T extends Thing = Thing>(workspace: string, type: ResourceType, name: string): T | undefined {
    return this.stage.informers.get<T>(type).store.get(`workspace-${workspace}/${name}`);
  }

  children(workspace: string, type: ResourceType): Thing[] {
    return [...this.stage.informers.get<Thing>(type).store.values()].filter(
      ({ metadata }) => metadata.namespace === `workspace-${workspace}`,
    );
  }

  /** Waits until something is the case, looking at every change. */
  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const watched = [...this.stage.informers];
    const check = (): void => {
      const value = look();
      if (value !== undefined && value !== false) resolve(value);
    };
    const detach = watched.map((informer) => informer.onChange(check));
    const timer = setTimeout(() => {
      const told = [...this.stage.informers.get<Workspace>(workspaces).store.values()].map(
        ({ metadata, status }) => `${metadata.name} ${metadata.deletionTimestamp ?? ''} ${JSON.stringify(status)}`,
      );
      reject(new Error(`waited ${patienceMs / 1000} s for ${what}; ${told.join(' | ')}`));
    }, patienceMs);
    check();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      for (const stop of detach) stop();
    }
  }

  /** Waits until a workspace whose status is about its present spec is as wanted. */
  async settled(name: string, what: string, isMet: (workspace: Workspace) => boolean): Promise<Workspace> {
    return this.until(`workspace ${name} to ${what}`, () => {
      const found = this.workspace(name);
      const isAboutNow = found?.status?.observedGeneration === found?.metadata.generation;
      return found !== undefined && isAboutNow && isMet(found) ? found : undefined;
    });
  }

  phase(name: string, wanted: string): Promise<Workspace> {
    return this.settled(name, `be ${wanted}`, ({ status }) => status?.phase === wanted);
  }

  reason(name: string, type: string, wanted: string): Promise<Workspace> {
    return this.settled(name, `say ${wanted}`, (found) => conditionOf(found, type)?.reason === wanted);
  }

  async remove(name: string): Promise<void> {
    await this.stage.resource(workspaces).delete({ name });
    await this.gone(name);
  }

  async gone(name: string): Promise<void> {
    await this.until(
      `workspace ${name} and its namespace to be gone`,
      () =>
        this.workspace(name) === undefined &&
        this.stage.informers.get(types.namespaces).store.get(`workspace-${name}`) === undefined,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = this.stage.resource<Workspace>(workspaces);
    const left = (await all.list()).items.map(({ metadata }) => metadata.name);
    for (const name of left) await all.delete({ name }).catch(ignoreAbsent);
    for (const name of left) await this.gone(name);
    for (const detach of this.#detach) detach();
    await this.stage[Symbol.asyncDispose]();
  }
}

export const conditionOf = (object: Workspace | undefined, type: string) =>
  object?.status?.conditions?.find((condition) => condition.type === type);

/** Every condition as one line. */
export const conditionsOf = ({ status }: Workspace): string[] =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);

/** One machine, one container cluster, one network and one volume. */
export const lab: WorkspaceSpec = {
  vms: [
    {
      name: 'router',
      backingVMDiskImage: 'debian',
      resources: { cpu: '1', memory: '1Gi' },
      interfaces: [{ network: 'lan', ipAddress: '10.20.0.5/24' }],
    },
  ],
  containerClusters: [
    {
      name: 'web',
      interfaces: [{ network: 'lan', ipAddress: '10.20.0.6/24' }],
      containers: [{ name: 'nginx', image: 'nginx:1', portMappings: [{ containerPort: 80, protocol: 'tcp', hostPort: 8080 }] }],
    },
  ],
  networks: [{ name: 'lan', cidr: '10.20.0.0/24' }],
  volumes: [{ name: 'data', size: '1Gi' }],
};

/** An image where workspaces look for it. */
export async function anImage(
  world: WorkspaceWorld,
  name: string,
  metadata: Override<VMDiskImage['metadata']> = {},
): Promise<void> {
  const url = `https://images.example.com/${name}.qcow2`;
  const image = aVMDiskImage({ metadata: { ...metadata, name, namespace: 'vmdi-farm' }, spec: { url, diskSize: '1Gi' } });
  await world.stage.resource<VMDiskImage>(types.images).create(image);
}

export const inNamespace = (workspace: string, name: string) => ({ name, namespace: `workspace-${workspace}` });

/** Whether an object has been written since: what a cache shows may still be what was there before. */
export const isLater = (now: KubeObject['metadata'] | undefined, than: KubeObject['metadata']): boolean =>
  now?.resourceVersion !== undefined && BigInt(now.resourceVersion) > BigInt(than.resourceVersion ?? 0);
