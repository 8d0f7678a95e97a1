import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@terrain/runtime';

/**
 * The floor for a throw-away cluster: etcd and an API server started with the fewest flags that give the same thing, and asked until ready.
 * Shares no code with packages/embedded.
 */
export async function startByHand(etcd: string, apiServer: string): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-by-hand-'));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(directory, 'sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }));
  writeFileSync(join(directory, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(join(directory, 'tokens.csv'), 'bench-token,bench,1,system:masters\n');
  const [port, clientPort, peerPort] = [await freePort(), await freePort(), await freePort()];
  const connection = new Connection({ server: `https://127.0.0.1:${port}`, token: 'bench-token', insecureSkipTlsVerify: true });
  const children: ChildProcess[] = [];
  const run = (program: string, args: readonly string[]): void => {
    children.push(spawn(program, args, { cwd: directory, stdio: 'ignore' }));
  };
  try {
    const started = performance.now();
    run(etcd, [
      '--data-dir=data',
      `--listen-client-urls=http://127.0.0.1:${clientPort}`,
      `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ]);
    run(apiServer, [
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--etcd-servers=http://127.0.0.1:${clientPort}`,
      '--cert-dir=certs',
      '--token-auth-file=tokens.csv',
      '--authorization-mode=RBAC',
      '--service-account-key-file=sa.pub',
      '--service-account-signing-key-file=sa.key',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      '--service-cluster-ip-range=10.96.0.0/16',
    ]);
    while (!(await isReady(connection))) await delay(20);
    return (performance.now() - started) / 1000;
  } finally {
    await connection.close();
    await Promise.all(children.map(end));
    rmSync(directory, { recursive: true, force: true });
  }
}

const isReady = (connection: Connection): Promise<boolean> =>
  connection.request({ method: 'GET', path: '/readyz', timeoutMs: 2000 }).then(
    () => true,
    () => false,
  );

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
