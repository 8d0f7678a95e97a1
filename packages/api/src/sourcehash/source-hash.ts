import { hexDigest } from '#hash/digest.ts';
import { canonicalQuantity } from '#quantity/quantity.ts';
import type { VMDiskImageSpec } from '#vmdiskimage/schema.ts';

/** The fields of a VMDiskImage that decide which bytes lie on the disk and where it is kept. */
export type Source = Pick<VMDiskImageSpec, 'url' | 'sourceType' | 'checksum' | 'diskSize' | 'storageClass' | 'snapshotClass'>;

/** 160 bits; the whole digest would not fit into the label value that carries it on DataVolumes. */
const length = 40;

/**
 * What a download is known by: an image whose hash differs from that of its artifact has to be downloaded again.
 *
 * Guarantees: fields that do not change the disk (`name`, `retain`, `secretRef`, `certConfigMap`) do not change the hash, nor does
 * another spelling of the same source: the order of fields, `24Gi` or `24576Mi`, capitals in the checksum, an empty field or none.
 * Assumptions: a source is not changed once it was hashed. It is remembered, since an image is asked for its hash some two hundred times
 * while it is synced, and as text, since each version of an image that a watch tells of is another object.
 * Caveat: the hash is stored in clusters. Changing how it is computed downloads every image of every cluster again.
 */
export function sourceHash(source: Source): string {
  let hash = known.get(source);
  if (hash === undefined) {
    hash = hashOfText(source);
    known.set(source, hash);
  }
  return hash;
}

const known = new WeakMap<Source, string>();
const mostTexts = 2000;
const knownByText = new Map<string, string>();

function hashOfText(source: Source): string {
  const { url, sourceType, checksum, diskSize, storageClass, snapshotClass } = source;
  const text = JSON.stringify([url, sourceType, checksum, diskSize, storageClass, snapshotClass]);
  let hash = knownByText.get(text);
  if (hash === undefined) {
    hash = compute(source);
    if (knownByText.size === mostTexts) knownByText.clear();
    knownByText.set(text, hash);
  }
  return hash;
}

function compute({ url = '', sourceType, checksum = '', diskSize, storageClass = '', snapshotClass = '' }: Source): string {
  return hexDigest([url, sourceType, checksum.toLowerCase(), canonicalQuantity(diskSize), storageClass, snapshotClass], length);
}
