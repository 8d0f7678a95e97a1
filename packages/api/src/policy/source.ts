import { policyKeys } from '#ledger/layout.ts';
import type { PolicyDefinition } from './admission-policy.ts';
import { aboutFirst, allOf, inForce, quoted, quotedList } from './cel.ts';
import { isPublicHost } from './public-host.ts';
import { itemVariables, type SourceHolder, sourceHolders } from './source-holder.ts';

const schemes = ['https', 'http', 'docker', 'oci-archive', 'gs'];

/** The names Google allows for buckets, which stand where other URLs have a host. No host is looked up: all buckets are at one address. */
const bucketPattern = '^[a-z0-9][a-z0-9._-]*[a-z0-9]$';

const wayOut = ' An administrator can allow internal sources with allowInternalSources in the ConfigMap sync-operator-policy.';

/** `url` of every source that is new or differs from what was there before. */
function changedUrls({ source, hasSource, same, path }: SourceHolder): string {
  const hasUrl = (item: string) => allOf(hasSource(item), `has(${source(item)}.url)`, `${source(item)}.url != ''`);
  const unchanged = `variables.before.exists(b, ${allOf(same('v', 'b'), hasUrl('b'), `${source('b')}.url == ${source('v')}.url`)})`;
  const item = `{'field': ${path('v')} + '.url', 'url': string(${source('v')}.url)}`;
  return `variables.now.filter(v, ${hasUrl('v')} && !${unchanged}).map(v, ${item})`;
}

/**
 * Images come from public hosts only, unless the sync policy allows internal ones: the importer runs inside the cluster, where a URL
 * could reach what its author cannot.
 *
 * Nobody is exempt, not even the operator: it only passes on what somebody else wrote. A URL that did not change is not judged again,
 * so that other fields of an older object can still be edited.
 */
function sourcePolicy(holder: SourceHolder): PolicyDefinition {
  const { kind, group, plural } = holder;
  const isUrl = `isURL(u.url) && url(u.url).getScheme() in ${quotedList(schemes)} && url(u.url).getHostname() != ''`;
  const isPublic = `(u.url.startsWith('gs://') ? u.host.matches(${quoted(bucketPattern)}) : ${isPublicHost('u.host')})`;
  return {
    name: `terrain-${kind.toLowerCase()}-source`,
    purpose: `A ${kind} downloads from public hosts only, unless the sync policy in force allows internal sources.`,
    rule: { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [plural] },
    readsLedger: true,
    conditions: { 'internal-sources-are-not-allowed': `${inForce(policyKeys.allowInternalSources, 'false')} != 'true'` },
    variables: {
      ...itemVariables(holder),
      urls: changedUrls(holder),
      malformed: `variables.urls.filter(u, !(${isUrl}))`,
      // The text between the slashes rather than the parsed user: url() does not tell it.
      hosts: `variables.urls.filter(u, ${isUrl}).map(u, {'field': u.field, 'url': u.url, 'host': url(u.url).getHostname(), 'authority': u.url.split('/', 4)[2]})`,
      withUser: `variables.hosts.filter(u, u.authority.contains('@'))`,
      internal: `variables.hosts.filter(u, !${isPublic})`,
    },
    validations: {
      wellFormed: {
        expression: 'variables.malformed.size() == 0',
        message: `The url of a source must name a host, such as https://images.example.com/disk.qcow2.${wayOut}`,
        messageExpression: aboutFirst(
          'variables.malformed',
          (u) =>
            `${u}.field + ' is "' + ${u}.url + '", which names no host to download from: write a URL such as https://images.example.com/disk.qcow2'`,
        ),
      },
      withoutUser: {
        expression: 'variables.withUser.size() == 0',
        message: `The url of a source must not have an @ before its path: put credentials into a Secret and name it in secretRef.${wayOut}`,
        messageExpression: aboutFirst(
          'variables.withUser',
          (u) => `${u}.field + ' has an @ before its path: put credentials into a Secret and name it in secretRef'`,
        ),
      },
      publicHost: {
        expression: 'variables.internal.size() == 0',
        message: `The url of a source must name a public host.${wayOut}`,
        messageExpression: aboutFirst(
          'variables.internal',
          (u) =>
            `${u}.field + ' names the host "' + ${u}.host + '", which is not public: write a public address or a full host name in lower case, not ending in a dot, svc, local, internal, localhost or default.${wayOut}'`,
        ),
      },
    },
    action: 'Deny',
  };
}

/** The policies about where images come from, one per kind that can say so. */
export const sourcePolicies = (): PolicyDefinition[] => Object.values(sourceHolders).map(sourcePolicy);
