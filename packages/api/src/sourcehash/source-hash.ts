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
 * while it is synced.
 * Caveat: the hash is stored in clusters. Changing how it is computed downloads every image of every cluster again.
 */
export function sourceHash(source: Source): string {
  let hash = known.get(source);
  if (hash === undefined) {
    hash = compute(source);
    known.set(source, hash);
  }
  return hash;
}

const known = new WeakMap<Source, string>();

function compute({ url = '', sourceType, checksum = '', diskSize, storageClass = '', snapshotClass = '' }: Source): string {
  return hexDigest([url, sourceType, checksum.toLowerCase(), canonicalQuantity(diskSize), storageClass, snapshotClass], length);
}
