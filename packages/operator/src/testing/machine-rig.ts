/** The VirtualMachine controller on an API server in this process; the rig plays CDI, KubeVirt and the controller of images, in haste. */
import { crdOf, kinds, sourceHash, type VirtualMachine, type VirtualMachineSpec } from '@terrain/api';
import { aVirtualMachine, type Override } from '@terrain/api/testing';
import {
  Connection,
  compareVersions,
  controllerReference,
  controllerUid,
  type KubeObject,
  Manager,
  Resource,
  type ResourceType,
  silentLogger,
  systemClock,
} from '@terrain/runtime';
import { type Admission, ApiFake, type FaultPlan, FaultProxy, hurriedClock } from '@terrain/runtime/testing';
import { imageType, machineType } from '#controllers/shared/kind.ts';
import { addMachineController, type MachineController } from '#controllers/virtualmachine/index.ts';
import { type DataVolume, dataVolumeType } from '#platform/cdi.ts';
import { type Claim, claimType } from '#platform/core.ts';
import { type KubevirtMachine, kubevirtInstanceType, kubevirtMachineType } from '#platform/kubevirt.ts';
import { networkType } from '#platform/network.ts';
import { volumeSnapshotType } from '#platform/snapshot.ts';
import { aReadyImage } from './machine-world.ts';

const kindsOfPlatform = [
  { type: { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true }, kind: 'Event' },
  { type: networkType, kind: 'NetworkAttachmentDefinition' },
  { type: dataVolumeType, kind: 'DataVolume' },
  { type: volumeSnapshotType, kind: 'VolumeSnapshot' },
  { type: kubevirtMachineType, kind: 'VirtualMachine' },
  { type: kubevirtInstanceType, kind: 'VirtualMachineInstance' },
];

const standardClass = { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } };
const begunMs = systemClock.now();
/** Where the machines are. */
export const lab = 'lab-7';
const farm = 'vmdi-farm';

export interface MachineRigOptions {
  /** What goes wrong; a process that is killed is followed by another one. */
  readonly plan?: FaultPlan;
  readonly admit?: Admission;
  readonly allowVolumeExpansion?: boolean;
  /** Waits are shorter, and the server's clock is faster, by this factor. Default 20. */
  readonly haste?: number;
}

/** One test's world: an image `vmdi-farm/debian` that can be cloned, and whatever the test makes of it. */
export class MachineRig implements AsyncDisposable {
  readonly fake: ApiFake;
  readonly #connection: Connection;
  #stop = new AbortController();
  #proxy: FaultProxy | undefined;
  #running: Promise<void> = Promise.resolve();
  #controller: MachineController | undefined;
  /** Processes so far. */
  lives = 1;
  /** False: DataVolumes are left as they are. */
  clones = true;

  readonly #haste: number;

  private constructor(fake: ApiFake, haste: number) {
    this.fake = fake;
    this.#haste = haste;
    this.#connection = new Connection(fake.credentials, { userAgent: 'test' });
  }

  static async start({ plan, admit, allowVolumeExpansion = true, haste = 20 }: MachineRigOptions = {}): Promise<MachineRig> {
    const fake = await ApiFake.start({ kinds: kindsOfPlatform, ...(admit === undefined ? {} : { admit }) });
    for (const kind of kinds) fake.seed(crdOf(kind) as never);
    for (const name of [lab, farm]) fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const storageClass = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: standardClass };
    fake.seed({ ...storageClass, provisioner: 'example.com/disks', allowVolumeExpansion } as never);
    const rig = new MachineRig(fake, haste);
    await rig.#seedImage();
    if (plan !== undefined) rig.#proxy = await FaultProxy.start({ upstream: fake.credentials, plan, kill: () => rig.#restart() });
    rig.#launch();
    return rig;
  }

  async #seedImage(): Promise<void> {
    const { status, ...image } = aReadyImage({ metadata: { name: 'debian', namespace: farm } });
    const { uid: _uid, resourceVersion: _version, ...metadata } = image.metadata;
    const { storageClass: _class, ...spec } = image.spec;
    this.fake.seed({ ...image, metadata, spec } as never);
    const artifact = status?.artifact;
    const labels = { 'app.kubernetes.io/managed-by': 'terrain' };
    this.fake.seed({
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name: artifact?.volumeSnapshot ?? '', namespace: farm, labels },
    });
    const said = { ...status, artifact: { ...artifact, sourceHash: sourceHash(spec) }, referencesAsOf: '0' };
    await this.say(imageType, farm, 'debian', { status: said });
  }

  #launch(): void {
    const credentials = this.#proxy?.credentials ?? this.fake.credentials;
    const manager = new Manager({ name: 'terrain', credentials, log: silentLogger, clock: hurriedClock(this.#haste) });
    this.#stop = new AbortController();
    this.#controller = addMachineController({
      manager,
      api: manager.api,
      workers: 4,
      serverNow: () => begunMs + (systemClock.now() - begunMs) * this.#haste,
    });
    this.#running = manager.run(this.#stop.signal);
  }

  async #restart(): Promise<void> {
    this.lives++;
    this.#stop.abort();
    this.#controller?.close();
    await this.#running;
    this.#launch();
  }

  /** Another plan for what goes wrong; only in a rig that began with one. */
  follow(plan: FaultPlan): void {
    this.#proxy?.follow(plan);
  }

  openGate(gate: string): void {
    this.#proxy?.open(gate);
  }

  resource<T extends KubeObject>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.#connection, type);
  }

  create(name: string, spec: Override<VirtualMachineSpec> = {}): Promise<VirtualMachine> {
    const vmDiskImageRef = { name: 'debian', namespace: farm };
    const manifest = aVirtualMachine({ metadata: { name, namespace: lab }, spec: { vmDiskImageRef, ...spec } });
    return this.resource<VirtualMachine>(machineType).create(manifest);
  }

  change(name: string, spec: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.resource(machineType).mergePatch({ name, namespace: lab }, { spec });
  }

  machine(name: string): VirtualMachine | undefined {
    return this.objects<VirtualMachine>(machineType).find(({ metadata }) => metadata.name === name);
  }

  objects<T extends KubeObject>(type: ResourceType): T[] {
    return this.fake.objects(type) as unknown as T[];
  }

  /** The only object of a kind in the lab. */
  only<T extends KubeObject>(type: ResourceType): T {
    const [one, ...others] = this.objects<T>(type).filter(({ metadata }) => metadata.namespace === lab);
    if (one === undefined || others.length > 0) throw new Error(`there are ${others.length + 1} ${type.plural}, or none`);
    return one;
  }

  /** Requests the controller made about objects of these names, as `create datavolumes`; watches and events are left out. */
  requests(...names: readonly string[]): string[] {
    return this.fake.log.requests
      .filter(({ verb, resource, userAgent }) => userAgent === 'terrain' && resource !== 'events' && verb !== 'watch')
      .filter(({ name = '' }) => names.some((one) => name.startsWith(one)))
      .map(({ verb, resource, subresource }) => `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`);
  }

  say(type: ResourceType, namespace: string, name: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
    const subresource = type.group === 'pelotech.ot' || type === claimType ? { subresource: 'status' } : {};
    return this.resource(type).mergePatch({ name, namespace, ...subresource }, body);
  }

  /** What the others would do next; each step once. */
  async #platform(): Promise<void> {
    const machines = this.objects<VirtualMachine>(machineType);
    for (const image of this.objects<KubeObject & { status?: { referencesAsOf?: string } }>(imageType)) {
      // One that has its disk need not be counted any more.
      const newest = machines
        .filter(({ status }) => status?.rootDisk === undefined)
        .map(({ metadata }) => metadata.resourceVersion ?? '0')
        .reduce((a, b) => (compareVersions(a, b) > 0 ? a : b), '0');
      if (compareVersions(newest, image.status?.referencesAsOf ?? '0') > 0 && image.metadata.name === 'debian')
        await this.say(imageType, farm, 'debian', { status: { referencesAsOf: newest } });
    }
    if (this.clones) for (const disk of this.objects<DataVolume>(dataVolumeType)) await this.#clone(disk);
    for (const { metadata, spec, status } of this.objects<KubevirtMachine>(kubevirtMachineType)) {
      const printableStatus = spec.runStrategy === 'Always' ? 'Running' : 'Stopped';
      if (status?.printableStatus === printableStatus || metadata.deletionTimestamp !== undefined) continue;
      const conditions = [{ type: 'Ready', status: printableStatus === 'Running' ? 'True' : 'False' }];
      await this.say(kubevirtMachineType, lab, metadata.name ?? '', { status: { printableStatus, conditions } });
    }
  }

  async #clone(disk: DataVolume): Promise<void> {
    const { name = '', namespace = '', labels = {} } = disk.metadata;
    if (disk.status?.phase !== undefined || disk.metadata.deletionTimestamp !== undefined) return;
    const storage = disk.spec.storage?.resources?.requests?.storage ?? '11Gi';
    const claim = this.objects<Claim>(claimType).find(({ metadata }) => metadata.name === name);
    if (claim !== undefined && controllerUid(claim) !== disk.metadata.uid) return;
    if (claim === undefined) {
      this.fake.seed({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace, labels, ownerReferences: [{ ...controllerReference(disk), blockOwnerDeletion: true }] },
        spec: { storageClassName: 'standard', volumeMode: 'Block', resources: { requests: { storage } } },
      } as never);
      await this.say(claimType, namespace, name, { status: { phase: 'Bound', capacity: { storage } } });
    }
    await this.say(dataVolumeType, namespace, name, { status: { phase: 'Succeeded' } });
  }

  async until(what: string, isMet: () => boolean | undefined): Promise<void> {
    const end = systemClock.monotonic() + 30_000;
    while (isMet() !== true) {
      await this.#platform().catch(() => undefined);
      if (systemClock.monotonic() > end) throw new Error(`there is still no ${what}; ${this.#told()}`);
      await systemClock.sleep(5);
    }
  }

  #told(): string {
    return this.objects<VirtualMachine>(machineType)
      .map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status)}`)
      .join(' | ');
  }

  /** Waits until the status is about the present spec and Ready gives this reason. */
  async reason(name: string, wanted: string): Promise<VirtualMachine> {
    await this.until(`reason ${wanted} of ${name}`, () => {
      const { metadata, status } = this.machine(name) ?? {};
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.reason === wanted && status?.observedGeneration === metadata?.generation;
    });
    return this.machine(name) as VirtualMachine;
  }

  /** Waits until everything asked for so far has been looked at: a machine made now is Ready. */
  async settled(): Promise<void> {
    const name = `settled-${this.fake.revision}`;
    await this.create(name);
    await this.reason(name, 'Ready');
    await this.resource(machineType).delete({ name, namespace: lab });
    await this.until(`end of ${name}`, () => this.machine(name) === undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#controller?.close();
    await this.#running;
    await this.#proxy?.close();
    await this.#connection.close();
    await this.fake.close();
  }
}
