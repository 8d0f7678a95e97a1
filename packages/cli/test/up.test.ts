import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ClusterStatus, clusterStatus, ensureBinaries } from '@terrain/embedded';
import { isAlive, Running, terrain, withHome } from './run-terrain.ts';

async function statusOf(home: string): Promise<ClusterStatus> {
  return JSON.parse((await terrain('status', '--home', home, '-o', 'json')).stdout) as ClusterStatus;
}

test('one command goes from nothing to disk images that are ready, and leaves nothing running', async () => {
  await withHome(async (home) => {
    // As in a pod of another cluster, on which nothing of this is to act.
    const elsewhere = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1', TERRAIN_KUBECONFIG: '/nonexistent' };
    const { code, stderr } = await new Running(['up', '--home', home, '--exit-when-ready'], elsewhere).finished;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /✓ Examples: \d+ objects accepted/);
    assert.match(stderr, /✓ Examples: all images, machines and workspaces ready/);
    assert.match(stderr, /simulated: nodes \(by kwok\)/);
    assert.match(stderr, /simulated: CDI, KubeVirt and volume snapshots; what they make is labelled terrain\.dev\/simulated/);
    const after = await terrain('status', '--home', home);
    assert.equal(after.code, 1);
    assert.equal(after.stdout, `The cluster in ${home} is stopped; start one with \`terrain up --home ${home}\`.\n`);
  });
});

for (const how of ['--exit-when-ready', '--detach']) {
  test(`${how}: examples that are not ready in time end the start with 3, their names, and nothing left running`, async () => {
    await withHome(async (home) => {
      const { code, stderr } = await terrain('up', '--home', home, how, '--timeout', '1ms');
      assert.match(stderr, /\nterrain: not all examples became ready within 1 ms:\n( {2}[A-Z]\w+ \S+: \S.*\n)+$/);
      assert.equal(code, 3);
      assert.equal((await clusterStatus(home)).state, 'stopped');
    });
  });
}

test('in the background: up, status, kubeconfig, a second up is refused, down', async () => {
  await withHome(async (home) => {
    // As `npm run terrain -- up --detach` does: npm ends right after the command, and the cluster is to stay.
    const byNpm = { npm_lifecycle_event: 'terrain' };
    const up = await new Running(['up', '--home', home, '--detach', '--no-simulator'], byNpm).finished;
    assert.equal(up.code, 0, up.stderr);

    const status = await statusOf(home);
    assert.equal(status.state, 'running', status.problem ?? 'no problem was named');
    assert.deepEqual(
      status.processes.map(({ name }) => name),
      ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'operator'],
    );
    const shown = (await terrain('status', '--home', home)).stdout;
    assert.match(shown, /^Cluster\s+running\nKubernetes\s+1\.36\.3 at https:\/\/127\.0\.0\.1:\d+\n/);
    assert.match(shown, /\nkube-apiserver +\d+ +\d+ MiB\n/);

    const kubeconfig = (await terrain('kubeconfig', '--home', home)).stdout.trim();
    const kubectl = (await ensureBinaries(['core'])).path('kubectl');
    const { stdout } = await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfig, 'get', 'terrain', '-A', '-o', 'name']);
    assert.match(stdout, /^vmdiskimage\.pelotech\.ot\/sync-workspace-123$/m);
    assert.match(stdout, /^workspace\.pelotech\.ot\/demo-workspace-1$/m);

    // Deleting ends: by the operator for the kind it acts on, at once for one that nobody acts on yet.
    for (const target of [
      ['vmdi', 'sync-workspace-123'],
      ['wst', 'kubernetes-101'],
    ]) {
      const remove = ['--kubeconfig', kubeconfig, 'delete', ...target, '--timeout=60s'];
      assert.match((await promisify(execFile)(kubectl, remove)).stdout, /deleted/);
    }

    const second = await terrain('up', '--home', home);
    assert.equal(second.code, 1);
    assert.ok(second.stderr.includes(String(status.pid)), second.stderr);

    const down = await terrain('down', '--home', home);
    assert.deepEqual({ code: down.code, stdout: down.stdout }, { code: 0, stdout: `Stopped (process ${status.pid}).\n` });
    assert.deepEqual(
      status.processes.filter(({ pid }) => isAlive(pid)),
      [],
    );
  });
});

test('a background start that cannot work fails with the reason, and a home it made is for its owner only', async () => {
  await withHome(async (parent) => {
    const home = join(parent, 'new');
    const up = await terrain('up', '--home', home, '--detach', '--binaries', '/nonexistent');
    assert.equal(up.code, 1);
    assert.match(up.stderr, /terrain: \/nonexistent has no program called etcd, .* leave out --binaries to have it built\./);
    for (const made of [home, join(home, 'logs')]) assert.equal(statSync(made).mode & 0o777, 0o700, made);
  });
});

test('Ctrl-C ends a running cluster in good order, and the next start continues with the data', async () => {
  await withHome(async (home) => {
    const first = new Running(['up', '--home', home, '--no-simulator']);
    await first.printed('Ctrl-C stops everything');
    const { processes } = await statusOf(home);
    first.child.kill('SIGINT');
    const ended = await first.finished;
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /Stopped\. The data is kept; the next start continues from here\.\n$/);
    assert.deepEqual(
      processes.filter(({ pid }) => isAlive(pid)),
      [],
    );

    const again = await terrain('up', '--home', home, '--no-simulator', '--no-examples', '--exit-when-ready');
    assert.equal(again.code, 0, again.stderr);
  });
});

test('kill -9 leaves no orphan behind, and the next start works', async () => {
  await withHome(async (home) => {
    const first = new Running(['up', '--home', home]);
    await first.printed('Ctrl-C stops everything');
    const { processes } = await statusOf(home);
    assert.ok(processes.some(({ name }) => name === 'simulator'));
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await assertAllEnd(processes.map(({ pid }) => pid));
    assert.equal((await clusterStatus(home)).state, 'stopped');

    const again = await terrain('up', '--home', home, '--exit-when-ready');
    assert.equal(again.code, 0, again.stderr);
  });
});

test('kill -9 of npm ends what it started, in good order', async () => {
  await withHome(async (home) => {
    const npm = spawn('npm', ['start', '--', '--home', home, '--no-simulator', '--no-operator', '--no-examples'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(npm.stderr.setEncoding('utf8'), 'data');
    await untilRunning(home);
    const { pid, processes } = await clusterStatus(home);
    npm.kill('SIGKILL');
    await assertAllEnd([pid ?? 0, ...processes.map((each) => each.pid)]);
    // What dies instead of being stopped leaves these behind.
    assert.deepEqual(
      readdirSync(home).filter((name) => ['lock', 'running.json'].includes(name)),
      [],
    );
  });
});

async function untilRunning(home: string): Promise<void> {
  await until('the cluster runs', async () => (await clusterStatus(home)).state === 'running', 120_000);
}

/** The kernel tells the guards of the processes, which then kill them: soon, but not in the same instant. */
async function assertAllEnd(pids: readonly number[]): Promise<void> {
  await until(`${pids.join(', ')} have ended`, async () => !pids.some(isAlive), 30_000);
}

async function until(what: string, isSo: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for await (const _ of setInterval(100)) {
    if (await isSo()) return;
    if (performance.now() > end) assert.fail(`${what}: not within ${timeoutMs / 1000} s`);
  }
}
