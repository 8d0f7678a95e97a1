import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyFailure } from './proxy-failure.ts';

const get = 'go: x@v1.8.0: Get "https://modules.example/x/@v/v1.8.0.info":';

const cases: Record<string, { given: [line: string, env: NodeJS.ProcessEnv]; want: string | undefined }> = {
  'nobody listens, and the password is not told': {
    given: [
      `${get} proxyconnect tcp: dial tcp 127.0.0.1:9: connect: connection refused`,
      { HTTPS_PROXY: 'http://me:secret@127.0.0.1:9' },
    ],
    want: 'Go cannot reach the proxy http://127.0.0.1:9 that HTTPS_PROXY names (connection refused): start the proxy, or correct HTTPS_PROXY, or unset it if no proxy is needed, and start again; what was downloaded so far is kept.',
  },
  'a name that does not exist, in small letters': {
    given: [
      `${get} proxyconnect tcp: dial tcp: lookup proxy.test on 10.0.0.1:53: no such host`,
      { https_proxy: 'proxy.test:3128' },
    ],
    want: 'Go cannot reach the proxy proxy.test:3128 that https_proxy names (no such host): start the proxy, or correct https_proxy, or unset it if no proxy is needed, and start again; what was downloaded so far is kept.',
  },
  'a proxy that Go knows from elsewhere': {
    given: [`${get} proxyconnect tcp: dial tcp 127.0.0.1:9: connect: connection refused`, { HTTPS_PROXY: '' }],
    want: 'Go cannot reach its proxy (connection refused): start the proxy, or correct the proxy settings, and start again; what was downloaded so far is kept.',
  },
  'a proxy that is slow may answer the next time': {
    given: [`${get} proxyconnect tcp: dial tcp 127.0.0.1:9: i/o timeout`, { HTTPS_PROXY: 'http://127.0.0.1:9' }],
    want: undefined,
  },
  'a server behind the proxy refused': {
    given: [`${get} dial tcp 127.0.0.1:9: connect: connection refused`, { HTTPS_PROXY: 'http://127.0.0.1:9' }],
    want: undefined,
  },
};
for (const [name, { given, want }] of Object.entries(cases)) {
  test(`the proxy of the environment: ${name}`, () => assert.equal(proxyFailure([given[0]], given[1])?.message, want));
}
