import { type Case, type ExampleLab, write } from '../lab.example.ts';

const template = (change: object) => (lab: ExampleLab) =>
  write(lab.vms[0]!, { vmDiskImageTemplate: { diskSize: '1Gi', ...change } });
const path = 'spec.vms[0].vmDiskImageTemplate';

/** Labs with a disk image that cannot be made. */
export const imageCases: Record<string, Case> = {
  'an image from nowhere': {
    given: template({ sourceType: 'http' }),
    want: [
      `${path}.sourceType is "http", but url is missing: say where the disk image is downloaded from, or use sourceType blank for an empty disk`,
    ],
  },
  'an empty disk from somewhere': {
    given: template({ sourceType: 'blank', url: 'https://images.example.com/a' }),
    want: [
      `${path}.url is "https://images.example.com/a", but url has no meaning for sourceType blank, which makes an empty disk: remove url, or choose the sourceType that fits it`,
    ],
  },
  'a registry by http': {
    given: template({ sourceType: 'http', url: 'docker://registry.example.com/a' }),
    want: [
      `${path}.url is "docker://registry.example.com/a", but url must begin with https:// or http:// for sourceType s3 and http; change url, or choose the sourceType that fits it`,
    ],
  },
  'a bucket of another cloud': {
    given: template({ sourceType: 'gcs', url: 's3://bucket/a' }),
    want: [
      `${path}.url is "s3://bucket/a", but url must begin with gs:// or https:// for sourceType gcs; change url, or choose the sourceType that fits it`,
    ],
  },
  'a web page as registry': {
    given: template({ sourceType: 'registry', url: 'https://images.example.com/a' }),
    want: [
      `${path}.url is "https://images.example.com/a", but url must begin with docker:// or oci-archive:// for sourceType registry; change url, or choose the sourceType that fits it`,
    ],
  },
  'a checksum nobody verifies': {
    given: template({ sourceType: 'gcs', url: 'gs://bucket/a', checksum: 'sha256:00' }),
    want: [
      `${path}.checksum is "sha256:00", but checksum is verified for sourceType http only; remove checksum, or use sourceType http`,
    ],
  },
};
