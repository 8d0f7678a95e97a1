import type { VirtualMachineUser } from '@terrain/api';
import { type ApiTransport, Resource } from '@terrain/runtime';
import type { ObjectWatch } from '#controllers/vmdiskimage/needs.ts';
import { type Secret, secretType } from '#platform/core.ts';
import { type Finding, no, type StoredMachine } from './snapshot.ts';

/**
 * Reads what passwordSecretRef points at, when a guest's configuration is made and at no other time.
 *
 * Nothing is kept. A Secret that is missing is watched by its name, and wakes the machine.
 */
export class Passwords {
  readonly #secrets: Resource<Secret>;
  readonly #watch: ObjectWatch;

  constructor(api: ApiTransport, watch: ObjectWatch) {
    this.#secrets = new Resource<Secret>(api, secretType);
    this.#watch = watch;
  }

  /** By user name; or what is missing. */
  async read(
    key: string,
    { metadata, spec }: StoredMachine,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | Finding> {
    const { namespace } = metadata;
    const passwords = new Map<string, string>();
    const missing: { readonly name: string; readonly what: string }[] = [];
    for (const [user, name, secretKey] of (spec.users ?? []).flatMap(referenceOf)) {
      const value = (await this.#secrets.find({ namespace, name }, { signal }))?.data?.[secretKey];
      if (value === undefined) missing.push({ name, what: `key ${secretKey} in Secret ${name} for user ${user}` });
      else passwords.set(user, Buffer.from(value, 'base64').toString('utf8'));
    }
    this.#watch.await(
      key,
      [...new Set(missing.map(({ name }) => name))].map((name) => ({ kind: 'secret', namespace, name })),
    );
    if (missing.length === 0) return passwords;
    return no(
      'SecretMissing',
      `there is no ${missing.map(({ what }) => what).join(', no ')}; create it, and the machine goes on by itself`,
    );
  }

  forget(key: string): void {
    this.#watch.await(key, []);
  }
}

function referenceOf({ name, passwordSecretRef }: VirtualMachineUser): [user: string, secret: string, key: string][] {
  if (passwordSecretRef === undefined) return [];
  return [[name, passwordSecretRef.name, passwordSecretRef.key ?? 'password']];
}
