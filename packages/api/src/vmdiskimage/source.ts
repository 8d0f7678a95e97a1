import { bounds } from '#common/bounds.ts';
import { objectName, objectNameOrEmpty, oneOf, positiveQuantity, text } from '#common/field.ts';
import type { Rule } from '#common/rule.ts';
import { Type } from '#schema/type.ts';

const sourceTypes = ['s3', 'http', 'registry', 'gcs', 'blank'] as const;

/** Fields that say what to download, shared by VMDiskImage and the items of a DataSync. */
export const sourceFields = {
  url: Type.Optional(
    text(
      bounds.urlLength,
      'Where the image is downloaded from. The scheme fits sourceType: http or https for s3 and http, gs or https for gcs, docker or oci-archive for registry. Left out for blank.',
    ),
  ),
  sourceType: oneOf(
    sourceTypes,
    'How to download it: s3 (with secretRef), http (also for public buckets), registry (a container image with the disk under /disk), gcs, or blank for an empty disk.',
  ),
};

/** Optional fields of a download that a DataSync can also give once for all its items. */
export const placementFields = {
  secretRef: Type.Optional(
    objectName(
      'Secret in the same namespace with the keys accessKeyId and secretKey, used for the download. Required in effect for s3.',
    ),
  ),
  storageClass: Type.Optional(objectNameOrEmpty("StorageClass of the disk. Empty means the cluster's default.")),
  snapshotClass: Type.Optional(
    objectNameOrEmpty("VolumeSnapshotClass of the snapshot that machines clone from. Empty means the driver's default."),
  ),
  checksum: Type.Optional(
    text(140, 'Digest the download must have, such as sha256:HEX (also md5, sha1, sha512). Checked for sourceType http only.', {
      pattern: '^(md5:[0-9a-fA-F]{32}|sha1:[0-9a-fA-F]{40}|sha256:[0-9a-fA-F]{64}|sha512:[0-9a-fA-F]{128})$',
    }),
  ),
};

/** Size of the disk, under a field name that is the same everywhere. */
export function diskSizeField(description: string) {
  return positiveQuantity('diskSize', description);
}

const given = "has(self.url) && self.url != ''";

/** What must hold between url, sourceType and checksum of one object. */
export const sourceRules: readonly Rule[] = [
  {
    rule: `self.sourceType == 'blank' || (${given})`,
    message: 'url is missing: say where the disk image is downloaded from, or use sourceType blank for an empty disk',
    fieldPath: '.sourceType',
  },
  {
    rule: `self.sourceType != 'blank' || !(${given})`,
    message:
      'url has no meaning for sourceType blank, which makes an empty disk: remove url, or choose the sourceType that fits it',
    fieldPath: '.url',
  },
  {
    rule: `!(self.sourceType in ['s3', 'http']) || !(${given}) || self.url.startsWith('https://') || self.url.startsWith('http://')`,
    message:
      'url must begin with https:// or http:// for sourceType s3 and http; change url, or choose the sourceType that fits it',
    fieldPath: '.url',
  },
  {
    rule: `self.sourceType != 'gcs' || !(${given}) || self.url.startsWith('gs://') || self.url.startsWith('https://')`,
    message: 'url must begin with gs:// or https:// for sourceType gcs; change url, or choose the sourceType that fits it',
    fieldPath: '.url',
  },
  {
    rule: `self.sourceType != 'registry' || !(${given}) || self.url.startsWith('docker://') || self.url.startsWith('oci-archive://')`,
    message:
      'url must begin with docker:// or oci-archive:// for sourceType registry; change url, or choose the sourceType that fits it',
    fieldPath: '.url',
  },
  {
    rule: "!has(self.checksum) || self.sourceType == 'http'",
    message: 'checksum is verified for sourceType http only; remove checksum, or use sourceType http',
    fieldPath: '.checksum',
  },
];
