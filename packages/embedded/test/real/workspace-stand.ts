/**
 * Workspaces on the real node: their containers, networks and volumes are real. The machines, their disks and imports are played by the
 * simulator, since there is no KubeVirt here.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labels, type Workspace, type WorkspaceSpec } from '@terrain/api';
import { instantScenario, type Simulator, setSyncPolicy, startOperator, startSimulator } from '@terrain/embedded/testing';
import { ApiError, applyManifests, type KubeObject, Resource, type ResourceType } from '@terrain/runtime';
import { parse, parseAllDocuments } from 'yaml';
import { until } from '#process/until.ts';
import { type Answer, patience, type RealStand, realCluster } from './real-cluster.ts';
import { ansibleImage, importSeedImages } from './workspace-images.ts';

const workspaceType: ResourceType = { group: 'pelotech.ot', version: 'v1alpha1', plural: 'workspaces', namespaced: false };
const examples = join(import.meta.dirname, '../../../../examples/seeds');
const read = (name: string): string => readFileSync(join(examples, name), 'utf8');
const prerequisites = parseAllDocuments(read('00-prerequisites.yaml')).map((document) => document.toJS() as Prerequisite);
type Prerequisite = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** The seed as printed. */
export const seed = parse(read('000-workspace.yaml')) as Workspace;

/** A pod of a container cluster. */
interface LabPod {
  readonly name: string;
  readonly address: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string;
      readonly deletionTimestamp?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly status: {
      readonly podIP?: string;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

export class LabStand implements AsyncDisposable {
  readonly stand: RealStand;
  readonly workspaces: Resource<Workspace>;
  readonly #simulator: Simulator;
  /** What went wrong for the simulator and was tried again; told when something is waited for in vain. */
  readonly #troubles: readonly string[];

  private constructor(stand: RealStand, simulator: Simulator, troubles: readonly string[]) {
    this.stand = stand;
    this.#simulator = simulator;
    this.#troubles = troubles;
    this.workspaces = new Resource<Workspace>(stand.cluster.connection(), workspaceType);
  }

  static async open(): Promise<LabStand> {
    const stand = await realCluster();
    const { cluster, node } = stand;
    const troubles: string[] = [];
    const onTrouble = (sentence: string): void => void troubles.push(sentence);
    const directory = mkdtempSync(join(tmpdir(), 'terrain-labs-'));
    try {
      const [simulator] = await Promise.all([
        applyManifests(cluster.connection(), classes(), { fieldManager: 'test' }).then(() =>
          startSimulator({ connection: cluster.connection(), scenario: instantScenario, onTrouble }),
        ),
        importSeedImages(node, directory),
        startOperator(cluster),
      ]);
      const farm = prerequisites.filter(({ metadata }) => [metadata.name, metadata.namespace].includes('vmdi-farm'));
      await applyManifests(cluster.connection(), farm, { fieldManager: 'test' });
      const policy = prerequisites.find(({ kind }) => kind === 'ConfigMap')?.data;
      await setSyncPolicy(cluster, { ...policy, ansibleImage });
      return new LabStand(stand, simulator, troubles);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  async create(name: string, spec: WorkspaceSpec): Promise<void> {
    await this.submit({ apiVersion: 'pelotech.ot/v1alpha1', kind: 'Workspace', metadata: { name }, spec });
  }

  async submit(workspace: Workspace): Promise<void> {
    // The mutating policies answer so for a while after the kinds are new.
    const isNew = (error: unknown): undefined => {
      if (error instanceof ApiError && error.code === 503) return undefined;
      throw error;
    };
    const ask = (): Promise<Workspace | undefined> => this.workspaces.create(workspace).catch(isNew);
    await until(`the creation of workspace ${workspace.metadata.name}`, ask, patience);
  }

  /** The workspace once its status is about its present spec and is as wanted. */
  settled(name: string, what: string, isMet: (workspace: Workspace) => boolean): Promise<Workspace> {
    let last: Workspace | undefined;
    const ask = async (): Promise<Workspace | undefined> => {
      last = await this.workspaces.get({ name });
      return last.status?.observedGeneration === last.metadata.generation && isMet(last) ? last : undefined;
    };
    const missing = async (): Promise<string> => {
      const { stdout } = await this.kubectl(name, 'get', 'events', '--sort-by=.lastTimestamp', '-o', 'custom-columns=:.message');
      return [JSON.stringify(last?.status), ...stdout.split('\n').slice(-12), ...this.#troubles.slice(-3)].join('\n');
    };
    return until(`workspace ${name} to ${what}`, ask, { ...patience, missing });
  }

  ready(name: string, count: string): Promise<Workspace> {
    return this.settled(name, `be ready`, ({ status }) => status?.phase === 'Ready' && status.ready === count);
  }

  kubectl(workspace: string, ...args: readonly string[]): Promise<Answer> {
    return this.stand.shell.kubectl(...args, '-n', `workspace-${workspace}`);
  }

  /** The pod of a cluster once it is the only one, and ready. */
  async pod(workspace: string, cluster: string): Promise<LabPod> {
    let last = '';
    const ask = async (): Promise<LabPod | undefined> => {
      const selector = `${labels.containerCluster}=${cluster}`;
      last = (await this.kubectl(workspace, 'get', 'pods', '-l', selector, '-o', 'json')).stdout;
      const { items } = JSON.parse(last || '{"items":[]}') as PodList;
      const [pod] = items;
      const isReady = pod?.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
      if (items.length !== 1 || pod === undefined || !isReady || pod.metadata.deletionTimestamp !== undefined) return undefined;
      return { name: pod.metadata.name, address: pod.status.podIP ?? '', annotations: pod.metadata.annotations ?? {} };
    };
    return until(`the pod of ${cluster} in ${workspace}`, ask, { ...patience, missing: () => last.slice(-2000) });
  }

  /** Runs a command in the pod of a cluster. */
  async run(workspace: string, cluster: string, command: string): Promise<Answer> {
    const { name } = await this.pod(workspace, cluster);
    return this.stand.shell.exec(`workspace-${workspace}`, name, command);
  }

  /** The same, until what it prints is as wanted. */
  async runUntil(workspace: string, cluster: string, command: string, isFine?: (stdout: string) => boolean): Promise<string> {
    const { name } = await this.pod(workspace, cluster);
    return this.stand.shell.execUntil(`workspace-${workspace}`, name, command, isFine);
  }

  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.workspaces.delete({ name });
    const ask = async (): Promise<true | undefined> => {
      const left = (await this.workspaces.list()).items.map(({ metadata }) => metadata.name);
      return names.some((name) => left.includes(name)) ? undefined : true;
    };
    const missing = async (): Promise<string> =>
      JSON.stringify((await this.workspaces.list()).items.map(({ status }) => status?.message));
    await until(`the end of ${names.join(', ')}`, ask, { ...patience, missing });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#simulator.stop();
  }
}

/** Not by default: volumes of containers are real, on the class of the real node. */
const classes = (): KubeObject[] =>
  prerequisites
    .filter(({ kind }) => /Class$/.test(kind))
    .map((object) => ({ ...object, metadata: { name: object.metadata.name! } }));
