/** Watches the two ConfigMaps of the operator's namespace: the policy people write, and the ledger. */
import { ledgerName, syncPolicyName } from '@terrain/api';
import { type Controller, done, type Informer, type Manager, type Result } from '@terrain/runtime';
import { type ConfigMap, configMapType } from '#platform/core.ts';
import { isSamePolicy, type PolicyProblem, readPolicy } from '#policy/policy.ts';
import type { LedgerKeeper } from './keeper.ts';

export interface LedgerControllerOptions {
  readonly manager: Manager;
  readonly namespace: string;
  readonly keeper: LedgerKeeper;
  /** What in the policy is not in force, whenever that changes. */
  readonly onProblems?: (problems: readonly PolicyProblem[]) => void;
}

/** Adds the controller to a manager. It also begins the keeping of the ledger, whether or not there is one. */
export function addLedgerController({ manager, namespace, keeper, onProblems }: LedgerControllerOptions): Controller<ConfigMap> {
  const configMaps: Informer<ConfigMap> = manager.informers.get<ConfigMap>(configMapType, { namespace });
  const ledgerKey = `${namespace}/${ledgerName}`;
  const policyKey = `${namespace}/${syncPolicyName}`;
  let complainedAbout: string | undefined;

  async function readLedger(): Promise<Result> {
    keeper.start();
    await keeper.loaded;
    keeper.observed(configMaps.store.get(ledgerKey));
    controller.queue.add(policyKey);
    return done;
  }

  async function followPolicy(): Promise<Result> {
    await keeper.loaded;
    const { ledger } = keeper;
    const policy = configMaps.store.get(policyKey);
    if (ledger === undefined) {
      keeper.policyFollowed();
      return done;
    }
    const { texts, problems } = readPolicy(policy?.data, ledger.policy);
    const version = policy?.metadata.resourceVersion;
    complain(policy, problems);
    // Without the ConfigMap there is no version of it: how far the cache is, says when it was seen to be gone.
    if (version !== undefined) await keeper.setPolicy(texts, version);
    else if (ledger.policyResourceVersion === undefined || !isSamePolicy(texts, ledger.policy))
      await keeper.setPolicy(texts, configMaps.store.resourceVersion ?? '0');
    keeper.policyFollowed();
    return done;
  }

  /** Once for each version of the ConfigMap. */
  function complain(policy: ConfigMap | undefined, problems: readonly PolicyProblem[]): void {
    onProblems?.(problems);
    const version = policy?.metadata.resourceVersion;
    if (policy === undefined || version === complainedAbout) return;
    complainedAbout = version;
    for (const { kind, message } of problems)
      manager.events.record(
        { ...policy, apiVersion: 'v1', kind: 'ConfigMap' },
        { type: 'Warning', reason: kind === 'unknown' ? 'UnknownKey' : 'InvalidValue', note: message },
      );
  }

  const controller: Controller<ConfigMap> = manager.controller<ConfigMap>({
    name: 'syncpolicy',
    for: configMaps,
    workers: 1,
    reconcile: async ({ name }) => {
      if (name === ledgerName) return readLedger();
      return name === syncPolicyName ? followPolicy() : done;
    },
  });
  controller.queue.add(ledgerKey);
  return controller;
}
