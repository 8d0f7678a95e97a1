/** One test's world on the shared cluster: a simulator, operators to start and stop, and things to wait for. */
import { setTimeout } from 'node:timers/promises';
import {
  emptyLedger,
  formatLedger,
  type Ledger,
  ledgerManifest,
  ledgerName,
  operatorIdentity,
  operatorRole,
  parseLedger,
  syncPolicyName,
  type VMDiskImage,
  type VMDiskImageSpec,
} from '@terrain/api';
import { aVMDiskImage, type Override } from '@terrain/api/testing';
import { instantScenario, type Scenario, type Simulator, startSimulator, type TestCluster } from '@terrain/embedded/testing';
import { createOperator, type Operator, type OperatorOptions } from '@terrain/operator';
import {
  ApiError,
  applyManifests,
  type Connection,
  type Credentials,
  createLogger,
  Informers,
  type KubeObject,
  Resource,
  type ResourceType,
  silentLogger,
  systemClock,
} from '@terrain/runtime';
import { type FaultPlan, FaultProxy, Lookout } from '@terrain/runtime/testing';
import { ignoreAbsent, namespaceOfOperator, operatorCredentials, platform } from './platform.ts';
import { sweep } from './sweep.ts';
import { type Thing, types } from './types.ts';

export interface StageOptions {
  /** Default: the one of this process. A cluster of one's own has to be prepared. */
  readonly cluster?: TestCluster;
  readonly scenario?: Partial<Scenario>;
  readonly policy?: Readonly<Record<string, string>>;
}

const usualPatienceMs = 180_000;

/** One test's world: its own namespace and simulator on the shared cluster, with an empty ledger to begin with. */
export class Stage implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly simulator: Simulator;
  /** What went wrong for the simulator; told when something is waited for in vain, since many a test breaks things on purpose. */
  readonly troubles: readonly string[];
  readonly connection: Connection;
  readonly informers: Informers;
  /** A cache lets its objects rest; drains look at all images at every change, and would wake all of them each time. */
  readonly #images = new Map<string, VMDiskImage>();
  readonly #lookout = new Lookout();
  readonly #proxies: FaultProxy[] = [];
  readonly #operators: { readonly operator: Operator; stop(): Promise<void> }[] = [];

  private constructor(cluster: TestCluster, namespace: string, simulator: Simulator, troubles: readonly string[]) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.simulator = simulator;
    this.troubles = troubles;
    this.connection = cluster.connection();
    this.informers = new Informers({ api: this.connection, clock: systemClock });
    this.informers.get<VMDiskImage>(types.images).onChange((change) => {
      if (change.type === 'deleted') this.#images.delete(change.key);
      else this.#images.set(change.key, change.new);
      this.#lookout.changed();
    });
    for (const type of [
      types.machines,
      types.kubevirtMachines,
      types.kubevirtInstances,
      types.secrets,
      types.dataVolumes,
      types.snapshots,
      types.configMaps,
      types.claims,
      types.pods,
      types.namespaces,
    ])
      this.informers.get<Thing>(type).onChange(this.#lookout.changed);
  }

  static async open({ scenario = instantScenario, policy, cluster: own }: StageOptions = {}): Promise<Stage> {
    const cluster = own ?? (await platform());
    const troubles: string[] = [];
    const simulator = await startSimulator({
      connection: cluster.connection(),
      scenario: { ...instantScenario, ...scenario },
      onTrouble: (sentence) => troubles.push(sentence),
    });
    const stage = new Stage(cluster, await cluster.namespace('images'), simulator, troubles);
    await stage.resetLedger();
    await stage.setPolicy(policy);
    stage.informers.start();
    await stage.informers.synced();
    return stage;
  }

  resource<T extends KubeObject = Thing>(type: ResourceType): Resource<T> {
    return new Resource<T>(this.connection, type);
  }

  /** An operator with the rights of the real one, in this process. */
  async startOperator(options: Partial<OperatorOptions> & { readonly through?: Credentials } = {}): Promise<Operator> {
    const { through, ...rest } = options;
    const log = process.env.TERRAIN_TEST_LOG === undefined ? silentLogger : createLogger({ level: process.env.TERRAIN_TEST_LOG });
    const operator = createOperator({
      credentials: through ?? operatorCredentials(this.cluster),
      namespace: namespaceOfOperator,
      hasLeaderElection: false,
      log,
      ...rest,
    });
    const stop = new AbortController();
    const running = operator.run(stop.signal);
    running.catch(() => undefined);
    this.#operators.push({
      operator,
      stop: async () => {
        stop.abort();
        await running.catch(() => undefined);
      },
    });
    await operator.keeper.ready;
    return operator;
  }

  async stopOperators(): Promise<void> {
    await Promise.all(this.#operators.splice(0).map((running) => running.stop()));
  }

  /** A proxy between an operator and the API server, as the operator's user; closed after the operators. */
  async proxy(plan?: FaultPlan, kill?: () => void | Promise<void>): Promise<FaultProxy> {
    const proxy = await FaultProxy.start({
      upstream: operatorCredentials(this.cluster),
      ...(plan === undefined ? {} : { plan }),
      ...(kill === undefined ? {} : { kill }),
    });
    this.#proxies.push(proxy);
    return proxy;
  }

  async createImage(
    name: string,
    {
      sim,
      spec = {},
      ...change
    }: { sim?: string; spec?: Override<VMDiskImageSpec>; metadata?: Override<VMDiskImage['metadata']>; namespace?: string } = {},
  ): Promise<VMDiskImage> {
    const url = `https://images.example.com/${name}.qcow2${sim === undefined ? '' : `?sim=${sim}`}`;
    const namespace = change.namespace ?? this.namespace;
    const image = aVMDiskImage({ metadata: { ...change.metadata, name, namespace }, spec: { url, diskSize: '1Gi', ...spec } });
    return this.create<VMDiskImage>(types.images, image);
  }

  /** By POST. The mutating policies answer 503 now and then while the kinds are new to them, also after they have known them. */
  async create<T extends KubeObject>(type: ResourceType, object: T): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.resource<T>(type).create(object);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 503) || tries === 600) throw error;
        await setTimeout(100);
      }
    }
  }

  /** How often the data of this address was asked for, over all images that have it. */
  downloadsOf({ spec }: VMDiskImage): number {
    return this.simulator.egress.of(spec.url ?? '').downloads;
  }

  image(name: string, namespace = this.namespace): VMDiskImage | undefined {
    return this.#images.get(`${namespace}/${name}`);
  }

  images(): VMDiskImage[] {
    return [...this.#images.values()];
  }

  things(type: ResourceType): Thing[] {
    return [...this.informers.get<Thing>(type).store.values()].filter(({ metadata }) => metadata.namespace === this.namespace);
  }

  /** Waits until something is the case, looking at every change. The sentence says what was waited for. */
  until<T>(what: string, look: () => T | undefined | false, patienceMs = usualPatienceMs): Promise<T> {
    return this.#lookout.until(look, {
      patienceMs,
      complaint: () => `waited ${patienceMs / 1000} s for ${what}; ${this.#scene(what)}`,
    });
  }

  /** The images that are named, or those that are not there yet; the ledger; and what the simulator complained of. */
  #scene(what: string): string {
    const named = this.images().filter(({ metadata }) => what.split(' ').includes(metadata.name));
    const shown = named.length > 0 ? named : this.images().filter(({ status }) => status?.phase !== 'Succeeded');
    return [...shown.slice(0, 6).map(describe), `ledger: ${JSON.stringify(this.ledgerData())}`, ...this.troubles.slice(-5)].join(
      ' | ',
    );
  }

  /** Waits until the image is in a phase. */
  phase(name: string, phase: string, namespace = this.namespace): Promise<VMDiskImage> {
    return this.until(`${name} to be ${phase}`, () => {
      const image = this.image(name, namespace);
      return image?.status?.phase === phase ? image : undefined;
    });
  }

  /** Waits until Ready of the image gives this reason. */
  reason(name: string, reason: string): Promise<VMDiskImage> {
    return this.until(`${name} to say ${reason}`, () => {
      const image = this.image(name);
      return image?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason === reason ? image : undefined;
    });
  }

  ledgerData(): Readonly<Record<string, string>> {
    return this.informers.get<Thing>(types.configMaps).store.get(`${namespaceOfOperator}/${ledgerName}`)?.data ?? {};
  }

  ledger(): Ledger {
    const reading = parseLedger(this.ledgerData());
    return reading.kind === 'ledger' ? reading.ledger : emptyLedger;
  }

  async setPolicy(data: Readonly<Record<string, string>> | undefined): Promise<void> {
    const configMaps = this.resource(types.configMaps);
    const at = { name: syncPolicyName, namespace: namespaceOfOperator };
    if (data === undefined) {
      await configMaps.delete(at).catch(ignoreAbsent);
      return;
    }
    await configMaps.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: at, data }, { fieldManager: 'test', force: true });
  }

  /** Puts back what lives in the operator's namespace, except the ledger. */
  async install(): Promise<void> {
    await applyManifests(this.connection, [...operatorIdentity(), ...operatorRole()] as KubeObject[], { fieldManager: 'test' });
  }

  /** Only when no operator runs. */
  async resetLedger(): Promise<void> {
    const configMaps = this.resource(types.configMaps);
    const { name, namespace = '' } = ledgerManifest().metadata;
    const found = await configMaps.get({ name, namespace }).catch(ignoreAbsent);
    if (found === undefined) await configMaps.create(ledgerManifest() as Thing);
    else await configMaps.replace({ ...found, data: formatLedger(emptyLedger) });
  }

  /** Answers with the version it made, as the other changes do. */
  annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<VMDiskImage> {
    return this.resource<VMDiskImage>(types.images).mergePatch(
      { name, namespace: this.namespace },
      { metadata: { annotations } },
    );
  }

  label(name: string, labels: Readonly<Record<string, string | null>>): Promise<VMDiskImage> {
    return this.resource<VMDiskImage>(types.images).mergePatch({ name, namespace: this.namespace }, { metadata: { labels } });
  }

  changeSpec(name: string, spec: Readonly<Record<string, unknown>>): Promise<VMDiskImage> {
    return this.resource<VMDiskImage>(types.images).mergePatch({ name, namespace: this.namespace }, { spec });
  }

  /** Stops the operators, removes all machines and images, then stops the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperators();
    for (const proxy of this.#proxies.splice(0)) await proxy.close();
    await sweep(this.resource(types.machines), this.resource(types.images));
    await this.until('all images to be gone', () => this.images().length === 0);
    await this.until('all DataVolumes to be gone', () => this.things(types.dataVolumes).length === 0);
    await this.simulator.stop();
    await this.informers.close();
  }
}

function describe({ metadata, status }: VMDiskImage): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return `${metadata.name} ${status?.phase} ${ready?.reason} "${status?.message}" ${JSON.stringify([status?.attempt, status?.retry, status?.history])}`;
}
