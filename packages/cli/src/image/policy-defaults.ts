import { defaultImageNamespace } from '@terrain/api';

/**
 * What counts for a key of the sync policy that nobody gives. Nothing may import the operator, and the ledger records only what is in
 * force: without these, a value that was removed could not be told from a default. A test compares them with the operator's.
 */
export const policyDefaults: ReadonlyMap<string, string> = new Map([
  ['concurrency', '4'],
  ['retryLimit', '2'],
  ['retryBackoffDuration', '5m'],
  ['retryBackoffMax', '1h'],
  ['attemptTimeout', '6h'],
  ['noProgressTimeout', '30m'],
  ['importRestarts', '0'],
  ['unreferencedTTL', ''],
  ['templateImageTTL', '1h'],
  ['namespaceShare', ''],
  ['imageNamespace', defaultImageNamespace],
  ['imageUrlTemplate', ''],
  ['imageSourceType', 'http'],
  ['imageStorageClass', ''],
  ['imageSnapshotClass', ''],
  ['imageSecretRef', ''],
  ['defaultDiskSize', '32Gi'],
  ['allowInternalSources', 'false'],
  ['ansibleImage', ''],
  ['networkBackend', 'bridge'],
]);
