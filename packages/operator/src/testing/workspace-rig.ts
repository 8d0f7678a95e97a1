/** The Workspace controller on an API server in this process; the test plays the part of all other controllers. */
import {
  crdOf,
  kinds,
  pelotechApiVersion,
  sourceHash,
  type VirtualMachine,
  type VMDiskImage,
  type Workspace,
  type WorkspaceSpec,
} from '@terrain/api';
import { Connection, type KubeObject, Manager, Resource, type ResourceType, silentLogger, systemClock } from '@terrain/runtime';
import { ApiFake, type FaultPlan, FaultProxy } from '@terrain/runtime/testing';
import { imageType, machineType, workspaceType } from '#controllers/shared/kind.ts';
import { addWorkspaceController, type WorkspaceController } from '#controllers/workspace/index.ts';
import type { WorkspacePolicy } from '#controllers/workspace/snapshot.ts';
import { claimType } from '#platform/core.ts';
import { subnetType, vpcType } from '#platform/kube-ovn.ts';
import { networkType } from '#platform/network.ts';
import { type Deployment, deploymentType, jobType } from '#platform/workload.ts';
import { policyOf } from '#policy/policy.ts';

const kindsOfPlatform = [
  { type: { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true }, kind: 'Event' },
  { type: networkType, kind: 'NetworkAttachmentDefinition' },
  { type: subnetType, kind: 'Subnet' },
  { type: vpcType, kind: 'Vpc' },
];

const standardClass = { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
const bound = { status: { phase: 'Bound' } };

/** One test's world. */
export class WorkspaceRig implements AsyncDisposable {
  readonly fake: ApiFake;
  readonly #connection: Connection;
  #stop = new AbortController();
  #proxy: FaultProxy | undefined;
  /** Processes so far. */
  lives = 1;
  #running: Promise<void> = Promise.resolve();
  #controller: WorkspaceController | undefined;
  #policy: WorkspacePolicy;

  private constructor(fake: ApiFake, policy: WorkspacePolicy) {
    this.fake = fake;
    this.#policy = policy;
    this.#connection = new Connection(fake.credentials, { userAgent: 'test' });
  }

  /** `plan` is what goes wrong; a process that is killed is followed by another one. */
  static async start(policy: Partial<WorkspacePolicy> = {}, plan?: FaultPlan): Promise<WorkspaceRig> {
    const fake = await ApiFake.start({ kinds: kindsOfPlatform });
    for (const kind of kinds) fake.seed(crdOf(kind) as never);
    for (const name of ['vmdi-farm', 'sync-operator']) fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    fake.seed({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: standardClass,
      provisioner: 'example.com/disks',
    });
    const rig = new WorkspaceRig(fake, { ...policyOf(new Map()), ...policy });
    if (plan !== undefined) rig.#proxy = await FaultProxy.start({ upstream: fake.credentials, plan, kill: () => rig.#restart() });
    rig.#launch();
    return rig;
  }

  #launch(): void {
    const credentials = this.#proxy?.credentials ?? this.fake.credentials;
    const manager = new Manager({ name: 'terrain', credentials, log: silentLogger });
    this.#stop = new AbortController();
    this.#controller = addWorkspaceController({
      manager,
      api: manager.api,
      namespace: 'sync-operator',
      workers: 4,
      ready: Promise.resolve(),
      policy: () => this.#policy,
      serverNow: () => systemClock.now(),
      clusterRanges: {},
    });
    this.#running = manager.run(this.#stop.signal);
  }

  async #restart(): Promise<void> {
    this.lives++;
    this.#stop.abort();
    await this.#running;
    this.#launch();
  }

  setPolicy(change: Partial<WorkspacePolicy>): void {
    const before = this.#policy;
    this.#policy = { ...before, ...change };
    this.#controller?.policyChanged(this.#policy, before);
  }

  resource<T extends KubeObject>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.#connection, type);
  }

  async create(name: string, spec: WorkspaceSpec): Promise<void> {
    const workspace: Workspace = { apiVersion: pelotechApiVersion, kind: 'Workspace', metadata: { name }, spec };
    await this.resource<Workspace>(workspaceType).create(workspace);
  }

  change(name: string, spec: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.resource(workspaceType).mergePatch({ name }, { spec });
  }

  workspace(name: string): Workspace | undefined {
    return this.objects<Workspace>(workspaceType).find(({ metadata }) => metadata.name === name);
  }

  objects<T extends KubeObject>(type: ResourceType): T[] {
    return this.fake.objects(type) as unknown as T[];
  }

  names(type: ResourceType): string[] {
    return this.fake.objects(type).map(({ metadata }) => metadata.name ?? '');
  }

  object<T extends KubeObject>(type: ResourceType, name: string): T | undefined {
    return this.objects<T>(type).find(({ metadata }) => metadata.name === name);
  }

  /** As its controller would when all data has arrived. */
  async syncImage(name: string): Promise<void> {
    const { spec, metadata } = this.object<VMDiskImage>(imageType, name) ?? fail(`there is no image ${name}`);
    const artifact = {
      volumeSnapshot: 's',
      dataVolume: 'd',
      url: spec.url ?? '',
      sourceHash: sourceHash(spec),
      syncedAt: instant,
    };
    const status = { observedGeneration: metadata.generation, phase: 'Succeeded', artifact, conditions: [isReady] };
    await this.say(imageType, name, { status });
  }

  /** As their own controllers would: machines ready, claims bound, Deployments available, Jobs complete. */
  async standUp(): Promise<void> {
    for (const { metadata } of this.objects<VirtualMachine>(machineType))
      await this.say(machineType, metadata.name, {
        status: { observedGeneration: metadata.generation, phase: 'Ready', message: 'runs', rootDisk: 'disk' },
      });
    for (const { metadata } of this.objects(claimType)) await this.say(claimType, metadata.name ?? '', bound);
    for (const { metadata, spec } of this.objects<Deployment>(deploymentType)) {
      const { replicas } = spec;
      const status = {
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      };
      await this.say(deploymentType, metadata.name ?? '', { status });
    }
    for (const { metadata } of this.objects(jobType))
      await this.say(jobType, metadata.name ?? '', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
  }

  /** What the controller has written, by verb and kind; events are left out. */
  writes(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { verb, resource, subresource, userAgent } of this.fake.log.requests) {
      if (userAgent !== 'terrain' || resource === 'events' || !['create', 'patch', 'update', 'delete'].includes(verb)) continue;
      const key = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  async say(type: ResourceType, name: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const { namespace } = this.object(type, name)?.metadata ?? {};
    await this.resource(type).mergePatch({ name, namespace, subresource: 'status' }, body);
  }

  async until(what: string, isMet: () => boolean | undefined): Promise<void> {
    const end = systemClock.monotonic() + 20_000;
    while (isMet() !== true) {
      if (systemClock.monotonic() > end)
        throw new Error(
          `there is still no ${what}; ${this.objects<Workspace>(workspaceType)
            .map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status)}`)
            .join(' | ')}`,
        );
      await systemClock.sleep(5);
    }
  }

  /** Waits until the status is about the present spec and Ready gives this reason. */
  async reason(name: string, wanted: string): Promise<Workspace> {
    await this.until(`reason ${wanted}`, () => {
      const { metadata, status } = this.workspace(name) ?? {};
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.reason === wanted && status?.observedGeneration === metadata?.generation;
    });
    return this.workspace(name) ?? fail(`there is no workspace ${name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#proxy?.close();
    await this.#connection.close();
    await this.fake.close();
  }
}

const instant = '2026-01-15T09:00:00Z';
const isReady = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'can be cloned', lastTransitionTime: instant };

function fail(message: string): never {
  throw new Error(message);
}
