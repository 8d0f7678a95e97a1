import { quantityCase, type RuleCases } from './crd-rule-case.ts';

const sha256 = `sha256:${'0a'.repeat(32)}`;

/** Something to download, with every field the rules look at. */
export const imageSource = {
  name: 'harrison-vm',
  sourceType: 'http',
  url: 'https://images.example.com/vm.qcow2',
  diskSize: '24Gi',
  checksum: sha256,
};

/** Rules between url, sourceType, checksum and diskSize. */
export const imageCases: RuleCases = {
  'nothing to download': {
    rule: 'url is missing: say where the disk image is downloaded from, or use sourceType blank for an empty disk',
    field: 'sourceType',
    refused: { url: undefined },
    accepted: { url: undefined, sourceType: 'blank', checksum: undefined },
  },
  'an empty url': {
    rule: 'url is missing: say where the disk image is downloaded from, or use sourceType blank for an empty disk',
    field: 'sourceType',
    refused: { url: '' },
    accepted: { url: '', sourceType: 'blank', checksum: undefined },
  },
  'a url for an empty disk': {
    rule: 'url has no meaning for sourceType blank, which makes an empty disk: remove url, or choose the sourceType that fits it',
    field: 'url',
    refused: { sourceType: 'blank', checksum: undefined },
    accepted: { sourceType: 'http', checksum: undefined },
  },
  'another scheme for http': {
    rule: 'url must begin with https:// or http:// for sourceType s3 and http; change url, or choose the sourceType that fits it',
    field: 'url',
    refused: { url: 'ftp://images.example.com/vm.qcow2' },
    accepted: { url: 'http://images.example.com/vm.qcow2' },
  },
  'a scheme of its own for s3': {
    rule: 'url must begin with https:// or http:// for sourceType s3 and http; change url, or choose the sourceType that fits it',
    field: 'url',
    refused: { sourceType: 's3', url: 's3://bucket/vm.qcow2', checksum: undefined },
    accepted: { sourceType: 's3', url: 'https://s3.example.com/bucket/vm.qcow2', checksum: undefined },
  },
  'a scheme of http for gcs': {
    rule: 'url must begin with gs:// or https:// for sourceType gcs; change url, or choose the sourceType that fits it',
    field: 'url',
    refused: { sourceType: 'gcs', url: 'http://images.example.com/vm.qcow2', checksum: undefined },
    accepted: { sourceType: 'gcs', url: 'gs://bucket/vm.qcow2', checksum: undefined },
  },
  'a scheme of http for a registry': {
    rule: 'url must begin with docker:// or oci-archive:// for sourceType registry; change url, or choose the sourceType that fits it',
    field: 'url',
    refused: { sourceType: 'registry', checksum: undefined },
    accepted: { sourceType: 'registry', url: 'docker://registry.example.com/vm:1', checksum: undefined },
  },
  'a checksum nobody would verify': {
    rule: 'checksum is verified for sourceType http only; remove checksum, or use sourceType http',
    field: 'checksum',
    refused: { sourceType: 's3' },
    accepted: { sourceType: 's3', checksum: undefined },
  },
  ...quantityCase('diskSize'),
};

/** Rules of a DataSync beyond those of its items. */
export const dataSyncCases: RuleCases = {
  'a checksum for all, also for items that are not verified': {
    rule: 'defaults.checksum is verified for sourceType http only, but an item has another sourceType; give checksums per item instead',
    field: 'spec.defaults',
    refused: { 'spec.defaults.checksum': sha256, 'spec.vms[0].sourceType': 's3', 'spec.vms[0].checksum': undefined },
    accepted: { 'spec.defaults.checksum': sha256, 'spec.vms[0].checksum': undefined },
  },
};
