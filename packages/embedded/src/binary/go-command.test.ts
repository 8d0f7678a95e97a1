import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goEnvironment, transientReason } from './go-command.ts';

const complaints: Record<string, { given: string; want: string | undefined }> = {
  'too many requests': {
    given: 'go: k8s.io/api@v0.36.3: reading https://proxy.example/k8s.io/api/@v/v0.36.3.zip: 429 Too Many Requests',
    want: 'the module proxy asked us to slow down',
  },
  'a bad gateway': { given: 'reading https://proxy.example/x.zip: 502 Bad Gateway', want: 'the module proxy had a problem' },
  'a server error by number alone': {
    given: 'unrecognized import path: reading https://x.example: 503',
    want: 'the module proxy had a problem',
  },
  'a reset connection': {
    given: 'read tcp 10.0.0.1:1->10.0.0.2:443: read: connection reset by peer',
    want: 'the network broke off',
  },
  'a body that broke off': { given: 'go: x: unexpected EOF', want: 'the network broke off' },
  'a name that does not resolve': { given: 'dial tcp: lookup proxy.example: no such host', want: 'the network broke off' },
  'a module that does not exist': { given: 'reading https://proxy.example/x.zip: 404 Not Found', want: undefined },
  'a compile error': { given: './x.go:5:2: undefined: y', want: undefined },
  'a line number that looks like a status': { given: './x.go:429:2: undefined: y', want: undefined },
  'a checksum that does not match': {
    given: 'verifying x: checksum mismatch\nreading: 502 Bad Gateway\nSECURITY ERROR',
    want: undefined,
  },
};
for (const [name, { given, want }] of Object.entries(complaints)) {
  test(`whether to try again: ${name}`, () => assert.equal(transientReason(given.split('\n')), want));
}

test('settings of the user pass through, those a build depends on do not', () => {
  const env = goEnvironment({
    HTTPS_PROXY: 'http://proxy:3128',
    GOPROXY: 'https://x',
    GOFLAGS: '-p=1',
    GOTOOLCHAIN: 'auto',
    GOWORK: '/x',
    CGO_ENABLED: '1',
  });
  assert.deepEqual(env, {
    HTTPS_PROXY: 'http://proxy:3128',
    GOPROXY: 'https://x',
    GOFLAGS: '-p=1',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
    CGO_ENABLED: '0',
    GOGC: '400',
  });
  assert.equal(goEnvironment({ GOGC: '50' }).GOGC, '50');
});
