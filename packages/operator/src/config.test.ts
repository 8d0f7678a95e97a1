import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

test('without flags and settings', () => {
  assert.deepEqual(readConfig([], {}), {
    namespace: 'sync-operator',
    hasLeaderElection: true,
    workers: 32,
    logLevel: 'info',
    health: undefined,
    credentials: { from: 'pod' },
    clusterRanges: { podRanges: [], serviceRanges: [], dnsServers: [] },
  });
});

test('everything set', () => {
  const env = {
    TERRAIN_NAMESPACE: 'ops',
    TERRAIN_WORKERS: '8',
    TERRAIN_LOG_LEVEL: 'debug',
    TERRAIN_HEALTH_PORT: '8080',
    TERRAIN_HEALTH_HOST: '0.0.0.0',
    TERRAIN_KUBECONFIG: '/k',
  };
  assert.deepEqual(
    readConfig(
      [
        '--no-leader-election',
        '--pod-range=10.244.0.0/16',
        '--pod-range=fd00::/56',
        '--service-range=10.96.0.0/16',
        '--dns-server=169.254.20.10',
      ],
      env,
    ),
    {
      namespace: 'ops',
      hasLeaderElection: false,
      workers: 8,
      logLevel: 'debug',
      health: { host: '0.0.0.0', port: 8080 },
      credentials: { from: 'file', file: '/k' },
      clusterRanges: {
        podRanges: ['10.244.0.0/16', 'fd00::/56'],
        serviceRanges: ['10.96.0.0/16'],
        dnsServers: ['169.254.20.10'],
      },
    },
  );
});

test('all problems are named at once', () => {
  assert.throws(
    () =>
      readConfig(['--leader-elect', '--pod-range=all', '--dns-server=dns'], {
        TERRAIN_WORKERS: '0',
        TERRAIN_LOG_LEVEL: 'loud',
        TERRAIN_HEALTH_PORT: '70000',
        TERRAIN_HEALTH_HOST: 'everywhere',
      }),
    {
      name: 'ConfigError',
      message:
        'there is no flag --leader-elect; there are --no-leader-election, --pod-range=CIDR, --service-range=CIDR and --dns-server=ADDRESS; --dns-server is "dns", expected an address such as 169.254.20.10; --pod-range is "all", expected a range of addresses such as 10.244.0.0/16; TERRAIN_LOG_LEVEL is "loud", expected one of trace, debug, info, warn, error, fatal, silent; TERRAIN_WORKERS is "0", expected a whole number from 1 to 256; TERRAIN_HEALTH_PORT is "70000", expected a whole number from 1 to 65535; TERRAIN_HEALTH_HOST is "everywhere", expected an address such as 0.0.0.0',
    },
  );
});

test('probes are answered on this machine only, unless an address says otherwise: a pod needs 0.0.0.0', () => {
  assert.deepEqual(readConfig([], { TERRAIN_HEALTH_PORT: '8080' }).health, { host: '127.0.0.1', port: 8080 });
  assert.deepEqual(readConfig([], { TERRAIN_HEALTH_PORT: '8080', TERRAIN_HEALTH_HOST: '' }).health?.host, '127.0.0.1');
});
