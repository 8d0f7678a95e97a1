import type { Probe } from './in-force.ts';
import { policyManifests, type Validation } from './policy.ts';

const sources = ['http', 's3', 'gcs', 'registry', 'blank', 'upload', 'pvc', 'snapshot', 'imageio', 'vddk'];

const sized = (field: 'pvc' | 'storage', label: 'PVC' | 'Storage'): readonly Validation[] => {
  const requests = `object.spec.${field}.resources.requests`;
  const has = `has(object.spec.${field}.resources) && has(${requests}) && 'storage' in ${requests}`;
  const size = `quantity(string(${requests}['storage']))`;
  // Only a clone may leave its size out, and only with `storage`.
  const isOptional = field === 'storage' ? 'variables.isClone' : 'false';
  return [
    { expression: `!has(object.spec.${field}) || ${isOptional} || (${has})`, message: `${label} size is missing` },
    {
      expression: `!has(object.spec.${field}) || !(${has}) || ${size}.isGreaterThan(quantity('0'))`,
      message: `${label} size can't be equal or less than zero`,
    },
    {
      expression: `!has(object.spec.${field}) || !(${has}) || !${size}.isLessThan(quantity('1Mi'))`,
      message: `${label} size should be at least 1MiB`,
    },
  ];
};

const addressed = (source: 'http' | 's3' | 'gcs'): readonly Validation[] => {
  const isThere = `variables.hasSource && has(object.spec.source.${source})`;
  const url = `object.spec.source.${source}.url`;
  return [
    { expression: `!(${isThere}) || ${url} != ''`, message: 'spec.source source URL is empty' },
    {
      expression: `!(${isThere}) || ${url} == '' || isURL(${url})`,
      messageExpression: `'spec.source Invalid source URL: ' + ${url}`,
    },
    {
      expression: `!(${isThere}) || !isURL(${url}) || url(${url}).getScheme() in ['http', 'https', 'gs']`,
      messageExpression: `'spec.source Invalid source URL scheme: ' + ${url}`,
    },
  ];
};

const checksum = 'object.spec.source.http.checksum';
const hasChecksum = `variables.hasSource && has(object.spec.source.http) && has(${checksum}) && ${checksum} != ''`;
const algorithm = `${checksum}.split(':', 2)[0].trim().lowerAscii()`;
const hash = `${checksum}.split(':', 2)[1].trim()`;
const lengths = "{'md5': 32, 'sha1': 40, 'sha256': 64, 'sha512': 128}";

/** CDI's words for a checksum it cannot use (pkg/util/checksum/checksum.go); the first that applies is the one told. */
const checksums: readonly Validation[] = [
  {
    expression: `!(${hasChecksum}) || ${checksum}.contains(':')`,
    messageExpression: `"Invalid checksum format: invalid checksum format: expected 'algorithm:hash', got '" + ${checksum} + "'"`,
  },
  {
    expression: `!(${hasChecksum}) || !${checksum}.contains(':') || ${hash} != ''`,
    message: 'Invalid checksum format: checksum hash value cannot be empty',
  },
  {
    expression: `!(${hasChecksum}) || !${checksum}.contains(':') || ${algorithm} in ${lengths}`,
    messageExpression: `"Invalid checksum format: unsupported hash algorithm '" + ${algorithm} + "': supported algorithms are: md5, sha1, sha256, sha512"`,
  },
  {
    expression: `!(${hasChecksum}) || !${checksum}.contains(':') || !(${algorithm} in ${lengths}) || size(${hash}) == ${lengths}[${algorithm}]`,
    messageExpression: `'Invalid checksum format: invalid ' + ${algorithm} + ' hash length: expected ' + string(${lengths}[${algorithm}]) + ' hex characters, got ' + string(size(${hash}))`,
  },
  {
    expression: `!(${hasChecksum}) || !${checksum}.contains(':') || ${hash}.matches('^[0-9a-fA-F]+$')`,
    message: 'Invalid checksum format: checksum hash is not valid hexadecimal',
  },
];

/** What CDI's webhook refuses for what a DataVolume says, in its words (pkg/apiserver/webhooks/datavolume-validate.go). */
export const cdiPolicies = policyManifests({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  resource: 'datavolumes',
  name: 'datavolume-validate.simulated.terrain.dev',
  operations: ['CREATE', 'UPDATE'],
  variables: [
    { name: 'hasSource', expression: 'has(object.spec.source)' },
    {
      name: 'isClone',
      expression:
        'has(object.spec.sourceRef) || (has(object.spec.source) && (has(object.spec.source.pvc) || has(object.spec.source.snapshot)))',
    },
    {
      name: 'isExternal',
      expression: ['pvc', 'storage']
        .map(
          (field) =>
            `(has(object.spec.${field}) && (has(object.spec.${field}.dataSource) || has(object.spec.${field}.dataSourceRef)))`,
        )
        .join(' || '),
    },
    {
      name: 'sources',
      expression: `has(object.spec.source) ? ${sources.map((name) => `(has(object.spec.source.${name}) ? 1 : 0)`).join(' + ')} : 0`,
    },
  ],
  validations: [
    { expression: 'oldObject == null || object.spec == oldObject.spec', message: 'Cannot update DataVolume Spec' },
    { expression: 'has(object.spec.pvc) || has(object.spec.storage)', message: 'Missing Data volume PVC' },
    {
      expression: '!(has(object.spec.pvc) && has(object.spec.storage))',
      message: 'Duplicate storage definition, both target storage and target pvc defined',
    },
    ...sized('pvc', 'PVC'),
    ...sized('storage', 'Storage'),
    {
      expression: 'variables.isExternal || has(object.spec.sourceRef) != variables.hasSource',
      message: 'Data volume should have either Source or SourceRef, or be externally populated',
    },
    { expression: '!variables.hasSource || variables.sources > 0', message: 'Missing Data volume source' },
    { expression: 'variables.sources < 2', message: 'Multiple Data volume sources' },
    {
      expression: "!has(object.spec.contentType) || object.spec.contentType in ['', 'kubevirt', 'archive']",
      message: 'ContentType not one of: kubevirt, archive',
    },
    ...addressed('http'),
    ...addressed('s3'),
    ...addressed('gcs'),
    {
      expression:
        "!(variables.hasSource && has(object.spec.source.registry) && has(object.spec.source.registry.url)) || object.spec.source.registry.url.matches('^(docker|oci-archive)://')",
      messageExpression: "'Illegal registry source URL scheme ' + object.spec.source.registry.url",
    },
    ...checksums,
  ],
});

export const cdiProbe: Probe = { kind: 'DataVolume', spec: { source: { blank: {} } }, words: 'Missing Data volume PVC' };
