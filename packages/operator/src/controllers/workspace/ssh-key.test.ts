import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSshKey } from './ssh-key.ts';

test('the private half is in the frame of OpenSSH, and holds the public half', () => {
  const { privateKey, publicKey } = newSshKey('lab');
  const body = Buffer.from(privateKey.split('\n').slice(1, -2).join(''), 'base64');
  assert.equal(body.subarray(0, 15).toString(), 'openssh-key-v1\0');
  const [algorithm, blob = '', comment] = publicKey.split(' ');
  assert.deepEqual([algorithm, comment], ['ssh-ed25519', 'lab']);
  assert.ok(body.includes(Buffer.from(blob, 'base64')));
  assert.notEqual(newSshKey('lab').publicKey, publicKey);
});
