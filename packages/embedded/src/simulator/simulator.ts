import { type Clock, type Connection, systemClock } from '@terrain/runtime';
import { dataVolumePlayer } from './cdi/player.ts';
import { EgressCounter } from './egress/counter.ts';
import { Engine } from './engine/engine.ts';
import { serveClaimWebhook } from './install/claim-webhook.ts';
import { installSimulator } from './install/install.ts';
import { instancePlayer, machinePlayer } from './kubevirt/player.ts';
import { defaultScenario, type Scenario } from './scenario/scenario.ts';
import { snapshotPlayer } from './snapshot/player.ts';
import { claimPlayer, podPlayer, volumePlayer } from './storage/player.ts';

export interface SimulatorOptions {
  /** Needs wide rights: it plays several controllers. */
  readonly connection: Connection;
  readonly scenario?: Scenario;
  /** Ends it. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Told in a sentence of what went wrong and is tried again. Default: standard error. */
  readonly onTrouble?: (sentence: string) => void;
}

/** A simulator at work. */
export interface Simulator extends AsyncDisposable {
  /** What its downloads would have cost. */
  readonly egress: EgressCounter;
  /** Ends it and waits until it does nothing more. What it made stays; another one goes on from there. */
  stop(): Promise<void>;
}

const players = [dataVolumePlayer, podPlayer, claimPlayer, volumePlayer, snapshotPlayer, machinePlayer, instancePlayer];

/**
 * Plays CDI, KubeVirt, the snapshot controller and a storage driver on an API server that has their kinds.
 *
 * Guarantees: resolves when its caches are complete and it acts; keeps nothing that matters in memory, so it can be stopped and started at
 * any time; everything it makes carries the label terrain.dev/simulated.
 * Assumptions: nobody else plays the same parts. A controller-manager runs: what a deletion takes along is collected by it.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { connection, scenario = defaultScenario, clock = systemClock } = options;
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const onTrouble = options.onTrouble ?? ((sentence: string) => console.error(sentence));
  const egress = new EgressCounter();
  await using started = new AsyncDisposableStack();
  await installSimulator(connection, scenario, signal);
  if (scenario.parts.has('cdi')) started.use(await serveClaimWebhook(connection, { signal, onTrouble }));
  const engine = new Engine({
    connection,
    clock,
    scenario,
    egress,
    players: players.filter(({ part }) => scenario.parts.has(part)),
    signal,
    onTrouble,
  });
  await engine.start();
  const running = started.move();
  const end = async (): Promise<void> => {
    stop.abort(new Error('the simulator was stopped'));
    await engine.close();
    await running.disposeAsync();
  };
  return { egress, stop: end, [Symbol.asyncDispose]: end };
}
