/** The API server's part in keeping the sync limit: it holds with two operators running, and against an old one that wakes up late. */
import { labels, pelotechGroup } from '#common/keys.ts';
import { entryPrefix, ledgerName } from '#ledger/layout.ts';
import type { LabelSelector, PolicyDefinition, ResourceRule } from './admission-policy.ts';
import { namespaceIsTerminating, quoted, quotedList } from './cel.ts';
import { type InstallOptions, resolveInstall } from './install.ts';

const configMaps = (
  operation: 'UPDATE' | 'DELETE',
  operatorNamespace: string,
): { rule: ResourceRule; namespaceSelector: LabelSelector } => ({
  rule: { apiGroups: [''], apiVersions: ['*'], operations: [operation], resources: ['configmaps'] },
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
});

/** Not by resourceNames: a rule with names is not asked about the objects of a collection that is deleted as a whole. */
const isTheLedger = { 'is-the-ledger': `oldObject.metadata.name == ${quoted(ledgerName)}` };

/** The limit is in the object that is judged: no other object is read, so no view of one can be old. */
function limit(operatorNamespace: string): PolicyDefinition {
  const entries = (object: string) =>
    `(has(${object}.data) ? ${object}.data.filter(k, k.startsWith(${quoted(entryPrefix)})) : [])`;
  return {
    name: 'terrain-ledger-limit',
    purpose: 'No more syncs than the limit in force: an entry is added to the ledger only while there is room.',
    ...configMaps('UPDATE', operatorNamespace),
    conditions: isTheLedger,
    variables: {
      entries: entries('object'),
      added: `variables.entries.filter(k, !has(oldObject.data) || !(k in oldObject.data))`,
      limit: `has(object.data) && 'limit' in object.data ? object.data['limit'] : ''`,
    },
    validations: {
      // Lowering the limit, and releasing while above it, add nothing and are always right.
      withinLimit: {
        expression: `variables.added.size() == 0 || (variables.limit.matches('^[0-9]{1,4}$') && variables.entries.size() <= int(variables.limit))`,
        message: 'The ledger would hold more entries than its limit: wait until one is released.',
        messageExpression: `'The ledger would hold ' + string(variables.entries.size()) + ' entries with a limit of "' + variables.limit + '": wait until enough are released, or raise concurrency in the ConfigMap sync-operator-policy'`,
      },
    },
    action: 'Deny',
  };
}

/**
 * Asked before every download. The ledger it sees may be some milliseconds old, so a refusal right after admission is to be tried
 * again, and a late create may still slip through: a speed bump for an operator that woke up late, not a fence.
 */
function dataVolume(): PolicyDefinition {
  const attempt = `object.metadata.labels[${quoted(labels.attempt)}]`;
  const has = (part: string) => `variables.entry.contains(${part})`;
  return {
    name: 'terrain-datavolume-slot',
    purpose: 'A download starts only with an open entry in the ledger for its image and attempt.',
    rule: { apiGroups: ['cdi.kubevirt.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['datavolumes'] },
    objectSelector: { matchExpressions: [{ key: labels.attempt, operator: 'Exists' }] },
    readsLedger: true,
    variables: {
      images: `has(object.metadata.ownerReferences) ? object.metadata.ownerReferences.filter(o, o.kind == 'VMDiskImage' && o.apiVersion.startsWith('${pelotechGroup}/')) : []`,
      key: `variables.images.size() == 1 ? ${quoted(entryPrefix)} + variables.images[0].uid : ''`,
      entry: `has(params.data) && variables.key in params.data ? params.data[variables.key] : ''`,
    },
    validations: {
      openEntry: {
        // Texts rather than JSON: CEL cannot parse it, and the layout fixes how an entry is written.
        expression: `${has(`'"image":"' + object.metadata.namespace + '/'`)} && ${has(`',"attempt":' + ${attempt} + ','`)} && variables.entry.endsWith('"state":"open"}')`,
        message: 'The ledger has no open entry for the image and attempt of the DataVolume.',
        messageExpression: `'DataVolume ' + object.metadata.namespace + '/' + object.metadata.name + ' is attempt ' + ${attempt} + ' of a disk image, and the ledger has no open entry for it (' + (variables.images.size() != 1 ? 'no VMDiskImage owns it' : variables.entry == '' ? 'no entry at all' : 'found ' + variables.entry) + '): only an admitted attempt may download'`,
      },
    },
    action: 'Deny',
  };
}

/** With `--use-service-account-credentials`, and without. */
const namespaceControllers = ['system:serviceaccount:kube-system:namespace-controller', 'system:kube-controller-manager'];

function deletion(operatorNamespace: string): PolicyDefinition {
  return {
    name: 'terrain-ledger-deletion',
    purpose: 'The ledger is deleted with its namespace only: without it nobody knows which syncs are running.',
    ...configMaps('DELETE', operatorNamespace),
    conditions: isTheLedger,
    validations: {
      withNamespace: {
        expression: `request.userInfo.username in ${quotedList(namespaceControllers)} || ${namespaceIsTerminating}`,
        message: `ConfigMap ${ledgerName} records which syncs are running and goes with its namespace only; to pause syncing set concurrency to "0" in the ConfigMap sync-operator-policy`,
      },
    },
    action: 'Deny',
  };
}

/** The policies that guard the ledger. */
export function ledgerPolicies(install: InstallOptions = {}): PolicyDefinition[] {
  const { operatorNamespace } = resolveInstall(install);
  return [limit(operatorNamespace), dataVolume(), deletion(operatorNamespace)];
}
