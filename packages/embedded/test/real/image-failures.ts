import type { VMDiskImageSpec } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { mebibyte } from './cdi-stand.ts';
import { type ImageStage, lookBytes } from './image-stage.ts';

/** A source that never will work, and what may come of it. */
export interface Failure {
  readonly spec: Override<VMDiskImageSpec>;
  readonly reason: string;
  /** CDI's words. */
  readonly words: RegExp;
  /** Under which name the server counts it. */
  readonly served: string;
  /** At most so many requests of an importer, and none started once the failure could be seen. */
  readonly requestsEach?: number;
  /** At most. */
  readonly bytes: number;
}

const status = (code: number, name: string): RegExp =>
  new RegExp(`^Unable to connect to http data source: expected status code 200, got ${code}\\. Status: ${code} ${name}$`);

/** Each made where it is tried; its key is the name to serve it under. */
export const permanentFailures: Readonly<Record<string, (stage: ImageStage, served: string) => Promise<Failure>>> = {
  'not-found': async ({ stand, small }, served) => ({
    spec: { url: stand.server.put(served, small.file, { status: 404 }) },
    served,
    reason: 'SourceNotFound',
    words: status(404, 'Not Found'),
    requestsEach: 2,
    bytes: 0,
  }),
  forbidden: async ({ stand, small }, served) => ({
    spec: { url: stand.server.put(served, small.file, { status: 403 }) },
    served,
    reason: 'SourceForbidden',
    words: status(403, 'Forbidden'),
    requestsEach: 2,
    bytes: 0,
  }),
  'wrong-keys': async ({ stand, small }, name) => {
    const served = `disks/${name}`;
    return {
      spec: { url: await stand.bucketUrl(served, small.file), sourceType: 's3', secretRef: 'keys' },
      served,
      reason: 'SourceForbidden',
      words: new RegExp(`^Unable to connect to s3 data source: could not get s3 object: "${served}": SignatureDoesNotMatch: `),
      requestsEach: 2,
      bytes: mebibyte,
    };
  },
  'wrong-checksum': async ({ stand, small }, served) => ({
    spec: { url: stand.server.put(served, small.file), checksum: `sha256:${'0'.repeat(64)}` },
    served,
    reason: 'ChecksumMismatch',
    words: new RegExp(`checksum mismatch: expected sha256:0{64}, calculated sha256:${small.fileSha256}$`),
    bytes: small.fileBytes + lookBytes,
  }),
  'too-small': async ({ stand, large }, served) => ({
    spec: { url: stand.server.put(served, large.file), diskSize: '32Mi' },
    served,
    reason: 'DiskTooSmall',
    words: /^DataVolume too small to contain image$/,
    // Told by its first bytes, before it is downloaded.
    bytes: 2 * lookBytes,
  }),
  'full-disk': async ({ stand }, served) => {
    const padded = await stand.disk(served, { sizeBytes: 16 * mebibyte, dataBytes: mebibyte, paddingBytes: 64 * mebibyte });
    return {
      spec: { url: stand.server.put(served, padded.file), diskSize: '32Mi' },
      served,
      reason: 'DiskTooSmall',
      words: /^DataVolume too small to contain image$/,
      bytes: padded.fileBytes + lookBytes,
    };
  },
};
