/** Whether the objects a download needs are there and usable. */
import type { Secret } from '#platform/core.ts';
import type { Need } from './snapshot.ts';

const keys = ['accessKeyId', 'secretKey'] as const;

/** Judges a Secret; undefined when it does not exist. Says nothing of what is in it but which key is wrong. */
export function judgeSecret(secret: Secret | undefined, name: string, sourceType: string): Need {
  if (secret === undefined)
    return {
      reason: 'SecretMissing',
      message: `Secret ${name} does not exist in this namespace; create it with the keys accessKeyId and secretKey`,
    };
  // CDI hands a whole key file to Google.
  if (sourceType === 'gcs') return 'met';
  for (const key of keys) {
    const encoded = secret.data?.[key];
    const invalid = (what: string): Need => ({
      reason: 'SecretInvalid',
      message: `Secret ${name} ${what}; correct it, and the image goes on by itself`,
    });
    if (encoded === undefined || encoded === '') return invalid(`has no key ${key}`);
    const value = Buffer.from(encoded, 'base64').toString('latin1');
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value))
      return invalid(
        `has a value in the key ${key} that cannot be sent in a header (a line break, a blank at an end, or a character outside ASCII)`,
      );
  }
  return 'met';
}

export const judgeCertConfigMap = (exists: boolean, name: string): Need =>
  exists
    ? 'met'
    : {
        reason: 'CertConfigMapMissing',
        message: `ConfigMap ${name} does not exist in this namespace; create it with the certificates to trust`,
      };
