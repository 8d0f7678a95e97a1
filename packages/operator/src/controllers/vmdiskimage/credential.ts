/** Whether the objects a download needs are there and usable. */
import { ApiError } from '@terrain/runtime';
import type { Secret } from '#platform/core.ts';
import { shorten } from '#platform/failure.ts';
import { serverWords } from '#platform/refusal.ts';
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

/** So often what cannot be read is tried again. */
const unreadableMs = 30_000;
/** Answers about who asks, and how much, and not about the object: unauthorized, too many requests, no server behind the proxy. */
const answersOfAnOutage: ReadonlySet<number> = new Set([401, 429, 503]);

/** What it means that a Secret or ConfigMap could not be read; undefined when that says nothing about it, and trying again is all there is. */
export function judgeUnreadable(error: unknown, kind: 'Secret' | 'ConfigMap', name: string): Need | undefined {
  if (!(error instanceof ApiError) || answersOfAnOutage.has(error.code)) return undefined;
  const words = shorten(serverWords(error));
  const wayOut =
    error.code === 403
      ? 'let the operator read it (ClusterRole terrain-operator)'
      : `see that the API server can read it (kubectl get ${kind.toLowerCase()} ${name})`;
  return {
    reason: kind === 'Secret' ? 'SecretInvalid' : 'CertConfigMapMissing',
    message: `${kind} ${name} cannot be read: ${words}; ${wayOut}, and the image goes on by itself within a minute`,
    afterMs: unreadableMs,
  };
}
