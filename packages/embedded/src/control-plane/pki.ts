import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Authority, type KeyPair, type Subject, signingKeys } from '#certificate/authority.ts';
import { apiServerNames } from './arguments.ts';

/** The administrator of a cluster of ours. `system:masters` passes every check of rights. */
export const administrator: Subject = { commonName: 'terrain-admin', organizations: ['system:masters'] };

/** Who the API server is to a kubelet. */
export const kubeletClientUser = 'kube-apiserver-kubelet-client';

/** The control plane's keys and certificates in one directory, under the names that its processes are told. */
export class Pki {
  readonly directory: string;
  readonly authority: Authority;

  private constructor(directory: string, authority: Authority) {
    this.directory = directory;
    this.authority = authority;
  }

  /** Takes up the keys kept in the directory, or makes new ones. */
  static async open(directory: string, now = new Date()): Promise<Pki> {
    const isNew = !existsSync(join(directory, 'complete'));
    const pki = isNew ? await Pki.#create(directory, now) : await Pki.#load(directory);
    // Anew at each start, so it never expires; only the authority and the token keys must stay the same.
    const names = { usage: 'server', names: apiServerNames } as const;
    await pki.#write('apiserver', pki.authority.issue({ commonName: 'kube-apiserver' }, names, now));
    await pki.#write('apiserver-kubelet-client', pki.issueClient({ commonName: kubeletClientUser }, now));
    const frontProxy = Authority.create('terrain-front-proxy', now);
    await pki.#write('front-proxy-ca', frontProxy.pair);
    await pki.#write('front-proxy-client', frontProxy.issue({ commonName: 'front-proxy-client' }, { usage: 'client' }, now));
    return pki;
  }

  static async #create(directory: string, now: Date): Promise<Pki> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const pki = new Pki(directory, Authority.create('terrain', now));
    const serviceAccounts = signingKeys();
    await pki.#write('ca', pki.authority.pair);
    await writePrivate(join(directory, 'sa.key'), serviceAccounts.privateKey);
    await writePrivate(join(directory, 'sa.pub'), serviceAccounts.publicKey);
    // Written last: a directory without it was left by an interrupted first start and has never been used.
    await writePrivate(join(directory, 'complete'), '');
    return pki;
  }

  static async #load(directory: string): Promise<Pki> {
    const [cert, key] = await Promise.all(['ca.crt', 'ca.key'].map((name) => readFile(join(directory, name), 'utf8')));
    return new Pki(directory, Authority.load({ cert: cert!, key: key! }));
  }

  issueClient(subject: Subject, now = new Date()): KeyPair {
    return this.authority.issue(subject, { usage: 'client' }, now);
  }

  async #write(name: string, pair: KeyPair): Promise<void> {
    await writePrivate(join(this.directory, `${name}.crt`), pair.cert);
    await writePrivate(join(this.directory, `${name}.key`), pair.key);
  }
}

/** Writes a file that only its owner may read. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
}
