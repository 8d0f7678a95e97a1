/** Puts the parts of the operator together. */
import { managerName } from '@terrain/api';
import { type Credentials, keyOf, type Logger, Manager, type ManagerOptions } from '@terrain/runtime';
import { ServerClock } from '#clock/server-clock.ts';
import { addDataSyncController } from '#controllers/datasync/index.ts';
import { addMachineController } from '#controllers/virtualmachine/index.ts';
import { addImageController } from '#controllers/vmdiskimage/index.ts';
import { addWorkspaceController } from '#controllers/workspace/index.ts';
import type { ClusterFacts } from '#controllers/workspace/snapshot.ts';
import { ledgerPort } from '#ledger/api-port.ts';
import { addLedgerController } from '#ledger/controller.ts';
import { LedgerKeeper } from '#ledger/keeper.ts';
import { measuredPort } from '#metrics/measured-port.ts';
import { watchQueue } from '#metrics/queue-gauges.ts';
import { SyncMetrics } from '#metrics/sync-metrics.ts';
import type { Policy } from '#policy/policy.ts';

export interface OperatorOptions {
  readonly credentials: Credentials;
  /** Namespace of the policy, the ledger and the lease. */
  readonly namespace: string;
  readonly hasLeaderElection: boolean;
  readonly workers?: number;
  /** What the cluster uses itself; networks of workspaces keep clear of it. */
  readonly clusterRanges?: ClusterFacts;
  readonly log?: Logger;
  readonly health?: NonNullable<ManagerOptions['health']>;
  readonly election?: Partial<NonNullable<ManagerOptions['election']>>;
  readonly frames?: NonNullable<ManagerOptions['frames']>;
}

export interface Operator {
  readonly manager: Manager;
  readonly keeper: LedgerKeeper;
  /** Works until the signal is aborted. Rejects when leadership was lost or something failed. */
  run(signal: AbortSignal): Promise<void>;
}

const leaseName = 'terrain-operator';

export function createOperator({
  credentials,
  namespace,
  hasLeaderElection,
  workers = 32,
  clusterRanges = {},
  log,
  health,
  election,
  frames,
}: OperatorOptions): Operator {
  const manager = new Manager({
    name: managerName,
    credentials,
    ...(log === undefined ? {} : { log }),
    ...(health === undefined ? {} : { health }),
    ...(frames === undefined ? {} : { frames }),
    ...(hasLeaderElection ? { election: { namespace, name: leaseName, ...election } } : {}),
  });
  const time = new ServerClock(manager.clock);
  const api = time.listenTo(manager.api);
  const serverNow = (): number => time.now();
  const metrics = new SyncMetrics(manager.metrics.registry);
  const port = measuredPort(ledgerPort(api, namespace), (result) => metrics.ledgerWritten(result));
  const keeper: LedgerKeeper = new LedgerKeeper({
    port,
    clock: manager.clock,
    serverNow,
    log: manager.log,
    onEntry: (key) => images.controller.queue.add(key, 'urgent'),
    confirm: (waiting, signal) => images.intake.confirm(waiting, signal),
    stillWaits: (waiting) => images.intake.stillWaits(waiting),
    onLoaded: () => {
      images.informers.images.onChange((change) => images.intake.changed(change));
      for (const { image } of keeper.ledger?.entries.values() ?? []) images.controller.queue.add(image);
    },
    onPolicy: (policy, before) => {
      workspaces.policyChanged(policy, before);
      if (changesImages(policy, before)) lookAtAllImages();
    },
    onUsable: () => lookAtAllImages(),
  });
  const lookAtAllImages = (): void => {
    for (const image of images.informers.images.store.values()) images.controller.queue.add(keyOf(image), 'background');
  };
  watchQueue(manager.metrics.registry, keeper, serverNow);
  addLedgerController({ manager, namespace, keeper, onProblems: (problems) => metrics.policyProblems(problems) });
  const images = addImageController({
    manager,
    api,
    serverNow,
    keeper,
    ledger: port,
    workers,
    onStored: (snapshot, decision, happening) => metrics.stored(snapshot, decision, happening),
  });
  images.informers.images.onChange((change) => metrics.imageChanged(change));
  addDataSyncController({ manager, serverNow, ready: keeper.ready, defaultDiskSize: () => keeper.policy.defaultDiskSize });
  const machines = addMachineController({ manager, api, serverNow, workers });
  const workspaces = addWorkspaceController({
    manager,
    api,
    serverNow,
    namespace,
    workers,
    ready: keeper.ready,
    clusterRanges,
    policy: () => keeper.policy,
  });
  // Passes wait for what it writes. Nothing is lost: whatever is not stored by then is found and done by the next process.
  manager.whenStopping(() => keeper.close());
  return {
    manager,
    keeper,
    async run(signal) {
      try {
        await manager.run(signal);
      } finally {
        keeper.close();
        images.close();
        machines.close();
      }
    },
  };
}

/** Whether a new policy says something new about images that are not just about to be admitted. */
function changesImages(policy: Policy, before: Policy): boolean {
  const isPauseChanged = (policy.concurrency === 0) !== (before.concurrency === 0);
  const { concurrency: _now, ...rest } = policy;
  const { concurrency: _then, ...restBefore } = before;
  return isPauseChanged || JSON.stringify(rest) !== JSON.stringify(restBefore);
}
