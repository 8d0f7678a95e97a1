/** What the simulator's suites share: a cluster with the platform's kinds, a namespace for each test, and a record of all that happens in it. */
import { ensureUpstream, installDefinitions } from '@terrain/embedded';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import type { KindName } from '#simulator/kinds.ts';
import { defaultScenario, type Scenario } from '#simulator/scenario/scenario.ts';
import { type Simulator, startSimulator } from '#simulator/simulator.ts';
import { PlatformRecord } from '../record.ts';

const recorded = [
  'DataVolume',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Pod',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'VirtualMachine',
  'VirtualMachineInstance',
  'Event',
] as const satisfies readonly KindName[];

// Shared by all files of the run, so that the definitions are installed once.
let prepared: Promise<TestCluster> | undefined;

export function platform(): Promise<TestCluster> {
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<TestCluster> {
  const cluster = await testCluster({ controllerManager: true });
  const upstream = await ensureUpstream();
  await installDefinitions(cluster.connection(), upstream.definitions);
  return cluster;
}

/** A simulator at work on the shared cluster, and a record of all changes since it was opened. */
export class Stage extends PlatformRecord {
  readonly cluster: TestCluster;
  readonly scenario: Scenario;
  simulator: Simulator;

  private constructor(cluster: TestCluster, scenario: Scenario, simulator: Simulator) {
    super({ connection: cluster.connection(), kinds: recorded, patienceMs: 60_000 });
    this.cluster = cluster;
    this.scenario = scenario;
    this.simulator = simulator;
  }

  static async open(scenario: Partial<Scenario> = {}): Promise<Stage> {
    const cluster = await platform();
    const whole = { ...defaultScenario, ...scenario };
    const stage = new Stage(cluster, whole, await startSimulator({ connection: cluster.connection(), scenario: whole }));
    await stage.listen();
    return stage;
  }

  /** Stops the simulator and starts another in its place, as after a crash. */
  async restartSimulator(): Promise<void> {
    await this.simulator.stop();
    this.simulator = await startSimulator({ connection: this.connection, scenario: this.scenario });
  }

  namespace(): Promise<string> {
    return this.cluster.namespace('sim');
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.simulator.stop();
    await super[Symbol.asyncDispose]();
  }
}

/** A DataVolume's spec that downloads, with switches. */
export function download(switches = '', more: { readonly source?: object; readonly storage?: object } = {}): object {
  const url = `https://images.example.com/lab.qcow2${switches === '' ? '' : `?sim=${switches}`}`;
  return {
    spec: {
      source: { http: { url, ...more.source } },
      storage: { resources: { requests: { storage: '1Gi' } }, ...more.storage },
    },
  };
}
