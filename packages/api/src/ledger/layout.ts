/**
 * How the ledger of running syncs is written down.
 *
 * The ledger is one ConfigMap. Its keys are flat and each entry is one short text of a fixed form, because the API server reads it
 * too: the policies in `policy/` compare keys and texts with CEL, which cannot parse JSON.
 *
 * | key | value |
 * |---|---|
 * | `schema` | version of this layout; a reader that does not know it must not write |
 * | `limit` | most entries that may be added up to, 0..1000 |
 * | `seq` | number of the last entry ever admitted |
 * | `policyResourceVersion` | resource version of `sync-operator-policy` the values in force came from; absent before the first |
 * | `policy.<key>` | a value of the sync policy in force, so that the last good one survives a restart |
 * | `entry.<UID of the VMDiskImage>` | one running attempt, see entry.ts |
 */

/** Name of the ConfigMap, in the operator's namespace. */
export const ledgerName = 'sync-operator-slots';

/** Name of the ConfigMap people write the sync policy into, in the same namespace. */
export const syncPolicyName = 'sync-operator-policy';

/** The layout this version reads and writes. */
export const ledgerSchema = '1';

/** Highest limit: the ledger stays far below the size an object may have, and a write stays at a few milliseconds. */
export const maxLimit = 1000;

/** Where VMDiskImages of Workspaces live unless the sync policy says otherwise. */
export const defaultImageNamespace = 'vmdi-farm';

/** Prefix of the keys that hold running attempts. */
export const entryPrefix = 'entry.';

/** Prefix of the keys that hold values of the sync policy. */
export const policyPrefix = 'policy.';

/** Values of the sync policy that policies of the API server read from the ledger. */
export const policyKeys = {
  /** "true" lifts the rule that images come from public hosts. */
  allowInternalSources: `${policyPrefix}allowInternalSources`,
  /** Namespace of the images that Workspaces refer to. */
  imageNamespace: `${policyPrefix}imageNamespace`,
} as const;
