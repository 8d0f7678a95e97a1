import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import { bits, integer, objectIdentifier, octets, sequence, set, tagged, text, time, yes } from './der.ts';

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Who a certificate speaks for. Kubernetes reads `commonName` as the user and `organizations` as the groups. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** A certificate for a server carries the names and addresses it is reached by; one for a client carries none. */
export interface Purpose {
  readonly usage: 'server' | 'client';
  readonly names?: readonly string[];
}

const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
} as const;

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
const signatureAlgorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));

/** A small certificate authority (ECDSA P-256, SHA-256): what a control plane on one machine needs, and no more. */
export class Authority {
  readonly pair: KeyPair;
  readonly #subject: Subject;
  readonly #key: KeyObject;

  private constructor(pair: KeyPair, subject: Subject) {
    this.pair = pair;
    this.#subject = subject;
    this.#key = createPrivateKey(pair.key);
  }

  static create(commonName: string, now: Date): Authority {
    const subject = { commonName };
    const { publicKey, privateKey } = newKeys();
    const extensions = [
      extension(oid.basicConstraints, sequence(yes), true),
      extension(oid.keyUsage, bits(Buffer.from([0b0000_0110]), 1), true), // keyCertSign, cRLSign
      extension(oid.subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
    ];
    const cert = certificate({ subject, issuer: subject, publicKey, extensions, now, years: 10 }, privateKey);
    return new Authority({ cert, key: privateKeyPem(privateKey) }, subject);
  }

  /** Takes up an authority kept on disk. Throws when the two halves do not belong together. */
  static load(pair: KeyPair): Authority {
    const parsed = new X509Certificate(pair.cert);
    if (!parsed.checkPrivateKey(createPrivateKey(pair.key)))
      throw new Error('the authority’s certificate and key do not belong together');
    const commonName = /^CN=(.+)$/m.exec(parsed.subject)?.[1];
    if (commonName === undefined) throw new Error('the authority’s certificate has no common name');
    return new Authority(pair, { commonName });
  }

  issue(subject: Subject, purpose: Purpose, now: Date): KeyPair {
    const { publicKey, privateKey } = newKeys();
    const extensions = [
      extension(oid.basicConstraints, sequence(), true),
      extension(oid.keyUsage, bits(Buffer.from([0b1000_0000]), 7), true), // digitalSignature
      extension(oid.extendedKeyUsage, sequence(objectIdentifier(oid[purpose.usage]))),
      extension(oid.subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
      extension(oid.authorityKeyIdentifier, sequence(tagged(0, keyIdentifier(createPublicKey(this.#key)), false))),
    ];
    if (purpose.names?.length) extensions.push(extension(oid.subjectAltName, sequence(...purpose.names.map(alternativeName))));
    const cert = certificate({ subject, issuer: this.#subject, publicKey, extensions, now, years: 5 }, this.#key);
    return { cert, key: privateKeyPem(privateKey) };
  }
}

/** A bare key pair for signing service account tokens; no certificate is involved. */
export function signingKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = newKeys();
  return { publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey: privateKeyPem(privateKey) };
}

interface Content {
  readonly subject: Subject;
  readonly issuer: Subject;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly now: Date;
  readonly years: number;
}

function certificate(content: Content, signer: KeyObject): string {
  // An hour of slack before now, so that a clock set back a little does not make the control plane distrust itself.
  const validity = sequence(
    time(new Date(content.now.getTime() - hourMs)),
    time(new Date(content.now.getTime() + content.years * yearMs)),
  );
  const signed = sequence(
    tagged(0, integer(Buffer.from([2])), true), // version 3
    integer(randomBytes(16)),
    signatureAlgorithm,
    distinguishedName(content.issuer),
    validity,
    distinguishedName(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...content.extensions), true),
  );
  return pem('CERTIFICATE', sequence(signed, signatureAlgorithm, bits(sign('sha256', signed, signer))));
}

function distinguishedName(subject: Subject): Buffer {
  const attribute = (type: string, value: string) => set(sequence(objectIdentifier(type), text(value)));
  const groups = (subject.organizations ?? []).map((group) => attribute(oid.organization, group));
  return sequence(...groups, attribute(oid.commonName, subject.commonName));
}

function alternativeName(name: string): Buffer {
  const version = isIP(name);
  if (version === 6)
    throw new Error(`IPv6 address ${name} cannot go into a certificate here: the control plane listens on IPv4 loopback only`);
  return version === 4
    ? tagged(7, Buffer.from(name.split('.').map(Number)), false)
    : tagged(2, Buffer.from(name, 'ascii'), false);
}

function extension(type: string, value: Buffer, critical = false): Buffer {
  return sequence(objectIdentifier(type), ...(critical ? [yes] : []), octets(value));
}

/** RFC 5280 4.2.1.2 (1): SHA-1 over the public key bits, which for an uncompressed P-256 point are the last 65 bytes. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(spki.subarray(-65)).digest();
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
