import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { clusterCredentials } from '@terrain/embedded';
import { Connection } from '@terrain/runtime';
import { cleanAfterCrash } from '#real/machine/clean.ts';
import { lockMachine } from '#real/machine/record.ts';
import { differences, kernelSettings } from './kernel-settings.ts';
import { machineState } from './machine-state.ts';
import { apply, claimObject, namespaceObject, realCluster, sharedHome, shellOf, shellPod } from './real-cluster.ts';
import { realNodeTurn } from './turn.ts';

/** What a node may change of the kernel's settings while it runs. The kernel itself changes the last three along with the first. */
const mayDiffer = [
  'net/ipv4/ip_forward',
  'kernel/panic',
  'kernel/panic_on_oops',
  'vm/overcommit_memory',
  'net/ipv4/conf/all/forwarding',
  'net/ipv4/conf/default/forwarding',
  'net/ipv4/conf/all/accept_redirects',
];

const namespace = 'keeps';
const script = '[ -e /data/word ] || echo first > /data/word';

/** A network of a tenant, so that there is a bridge that nobody removes while its pod runs. */
const network = {
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'lab', namespace },
  spec: {
    config: JSON.stringify({ cniVersion: '1.0.0', name: 'lab', type: 'bridge', bridge: 'tr-keeps', ipam: { type: 'static' } }),
  },
};
const networks = JSON.stringify([{ name: 'lab', ips: ['10.9.9.1/24'] }]);

/** With no real node on the machine, nobody's, and nothing that one left. */
async function stateAtRest(home: string) {
  using _lock = await lockMachine(600_000, undefined);
  await cleanAfterCrash();
  return machineState(home);
}

async function startChild(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'node-process.ts');
  const child = spawn(process.execPath, [program, sharedHome()], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit').then(() => 'ended');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout! })) if (line === 'ready') return line;
    return 'ended';
  })();
  assert.equal(await Promise.race([ready, exited]), 'ready');
  return child;
}

/** As the worst of days does it: whatever runs, at once and without a word. */
async function killAll(child: ChildProcess): Promise<void> {
  const { processes } = JSON.parse(readFileSync(join(sharedHome(), 'running.json'), 'utf8')) as {
    processes: readonly { readonly pid: number }[];
  };
  const exit = once(child, 'exit');
  for (const pid of [child.pid!, ...processes.map(({ pid }) => pid)]) process.kill(pid, 'SIGKILL');
  await exit;
}

test('a node that ends in order leaves nothing behind; one that is killed is cleaned up after; data and pods survive both', {
  timeout: 1_200_000,
}, async () => {
  await realNodeTurn();
  const home = sharedHome();
  const before = await stateAtRest(home);
  const settings = kernelSettings();

  const first = await startChild();
  const shell = await shellOf(join(home, 'kubeconfig'));
  {
    await using connection = new Connection(await clusterCredentials(home));
    await apply({ connection: () => connection }, namespaceObject(namespace), claimObject(namespace, 'data'), network);
    await apply(
      { connection: () => connection },
      shellPod(namespace, 'keeper', script, { claim: 'data', annotations: { 'k8s.v1.cni.cncf.io/networks': networks } }),
    );
  }
  assert.equal(await shell.execUntil(namespace, 'keeper', 'cat /data/word'), 'first\n');
  await shell.execUntil(namespace, 'keeper', 'echo second > /data/word');
  const changed = differences(settings, kernelSettings());
  assert.deepEqual(
    changed.filter((name) => !mayDiffer.includes(name)),
    [],
    'no other setting of the kernel is changed',
  );
  const ended = once(first, 'exit');
  first.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(await stateAtRest(home), before, 'after an orderly end');
  assert.deepEqual(differences(settings, kernelSettings()), [], 'every setting is as it was');

  const second = await startChild();
  assert.equal(await shell.execUntil(namespace, 'keeper', 'cat /data/word'), 'second\n', 'the pod runs again with its data');
  await shell.execUntil(namespace, 'keeper', 'echo third > /data/word && sync');
  await killAll(second);
  const left = machineState(home);
  assert.ok((left.pods as string[]).length > 0, 'pods outlive their node');
  assert.ok((left.links as string[]).includes('tr-keeps'), 'and so do their bridges');

  const { notes } = await realCluster();
  assert.match(notes.join('\n'), /did not end in order; cleaning up after it/);
  assert.match(notes.join('\n'), /Ended \d+ process(es)? of pods.*Unmounted \d+ file systems? .*Freed 1 loop device of/s);
  assert.match(notes.join('\n'), /Removed the bridges? (.*, )?tr-keeps/);
  assert.equal(await shell.execUntil(namespace, 'keeper', 'cat /data/word'), 'third\n');
  assert.equal((await shell.kubectl('delete', 'namespace', namespace, '--timeout=120s')).code, 0);
});
