import type { ObjectMeta } from '#common/metadata.ts';
import { type InstallOptions, resolveInstall } from '#policy/install.ts';
import { defaultImageNamespace, ledgerName } from './layout.ts';
import { formatLedger, type Ledger } from './ledger.ts';

/** The ConfigMap that holds a ledger. */
export type LedgerConfigMap = {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  metadata: ObjectMeta;
  data: Record<string, string>;
};

/** A ledger nobody has used yet, with the defaults of the sync policy in force. */
export const emptyLedger: Ledger = {
  limit: 4,
  seq: 0,
  policy: new Map([
    ['allowInternalSources', 'false'],
    ['imageNamespace', defaultImageNamespace],
  ]),
  policyResourceVersion: undefined,
  entries: new Map(),
  unknown: new Map(),
};

/**
 * The ledger as an object, to be created by POST and never applied.
 *
 * Caveats: `emptyLedger` is right only where no DataVolume of ours runs; anywhere else the ledger must list them all.
 */
export function ledgerManifest(ledger: Ledger = emptyLedger, install: InstallOptions = {}): LedgerConfigMap {
  const { operatorNamespace } = resolveInstall(install);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: ledgerName, namespace: operatorNamespace },
    data: formatLedger(ledger),
  };
}
