/** A key pair for SSH, in the files OpenSSH reads. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const algorithm = 'ssh-ed25519';

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
};

export interface SshKey {
  /** The content of id_ed25519. */
  readonly privateKey: string;
  /** One line of authorized_keys. */
  readonly publicKey: string;
}

export function newSshKey(comment: string): SshKey {
  const pair = generateKeyPairSync('ed25519');
  const { x, d } = pair.privateKey.export({ format: 'jwk' });
  const publicBytes = Buffer.from(x ?? '', 'base64url');
  const seed = Buffer.from(d ?? '', 'base64url');
  const publicBlob = Buffer.concat([text(algorithm), text(publicBytes)]);
  // Twice the same number: how a reader knows that it has decrypted well.
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    text(algorithm),
    text(publicBytes),
    text(Buffer.concat([seed, publicBytes])),
    text(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    text('none'),
    text('none'),
    text(''),
    uint32(1),
    text(publicBlob),
    text(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString('base64').match(/.{1,70}/g) ?? [];
  return {
    privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    publicKey: `${algorithm} ${publicBlob.toString('base64')} ${comment}`,
  };
}
