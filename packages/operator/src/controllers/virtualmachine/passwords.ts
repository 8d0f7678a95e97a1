import { labels, managerName, passwordSecretName, type VirtualMachineUser } from '@terrain/api';
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

  /** By user name; or what is missing, or not for guests. */
  async read(
    key: string,
    { metadata, spec }: StoredMachine,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string> | Finding> {
    const { namespace } = metadata;
    const passwords = new Map<string, string>();
    const missing: { readonly name: string; readonly what: string }[] = [];
    const refused: typeof missing = [];
    for (const [user, name, secretKey] of (spec.users ?? []).flatMap(referenceOf)) {
      const secret = await this.#secrets.find({ namespace, name }, { signal });
      const value = secret?.data?.[secretKey];
      if (secret !== undefined && isKeptFromGuests(secret, metadata.name)) refused.push({ name, what: refusal(name, user) });
      else if (value === undefined) missing.push({ name, what: `key ${secretKey} in Secret ${name} for user ${user}` });
      else passwords.set(user, Buffer.from(value, 'base64').toString('utf8'));
    }
    this.#watch.await(
      key,
      [...new Set([...missing, ...refused].map(({ name }) => name))].map((name) => ({ kind: 'secret', namespace, name })),
    );
    if (refused[0] !== undefined) return no('SecretMissing', refused[0].what);
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

/**
 * Pull secrets, deploy keys and the configuration of other guests lie beside the machine. Whoever wrote the machine, or the lab it comes from, named
 * this Secret; that makes nothing of the operator's theirs to read.
 */
const isKeptFromGuests = ({ metadata }: Secret, machine: string): boolean =>
  metadata.labels?.[labels.managedBy] === managerName && metadata.name !== passwordSecretName(machine);

const refusal = (secret: string, user: string): string =>
  `Secret ${secret} is the operator's own, and user ${user} gets no password from it; let passwordSecretRef name a Secret of yours`;

function referenceOf({ name, passwordSecretRef }: VirtualMachineUser): [user: string, secret: string, key: string][] {
  if (passwordSecretRef === undefined) return [];
  return [[name, passwordSecretRef.name, passwordSecretRef.key ?? 'password']];
}
