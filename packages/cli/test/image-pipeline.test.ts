import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ensureBinaries } from '@terrain/embedded';
import { terrain, withHome } from './run-terrain.ts';

const root = resolve(import.meta.dirname, '../../..');
const script = join(root, 'examples/pipeline/preload.sh');
const manifest = join(root, 'examples/pipeline/images.yaml');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

test('the pipeline of the guide preloads a set, does nothing when run again, and tells late from given up', async () => {
  await withHome(async (home) => {
    const up = await terrain('up', '--home', home, '--detach', '--no-examples', '--nodes', 'none');
    assert.equal(up.code, 0, up.stderr);
    const kubectl = (await ensureBinaries(['core'])).path('kubectl');
    const kubeconfig = (await terrain('kubeconfig', '--home', home)).stdout.trim();
    const command = join(home, 'terrain');
    writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'packages/cli/src/terrain.ts')}" "$@"\n`);
    chmodSync(command, 0o755);
    const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECTL: kubectl, TERRAIN: command };
    const run = (program: string, ...args: string[]): Promise<Ended> =>
      new Promise((done) => {
        execFile(program, args, { env }, (error, stdout, stderr) => {
          done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
        });
      });

    const first = await run(script, manifest, 'default', '5m');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /^default\/lab-9-2\.0\.0: ready$/m);
    assert.match(first.stdout, /^preload: all images of lab-9-2\.0\.0 are ready$/m);
    const volumes = async (): Promise<string> => (await run(kubectl, 'get', 'datavolumes', '-o', 'name')).stdout;
    const made = await volumes();
    assert.equal(made.trim().split('\n').length, 2);
    assert.equal((await run(script, manifest, 'default', '5m')).code, 0);
    assert.equal(await volumes(), made, 'nothing is downloaded twice');

    // The same set with another source: a former artifact must not satisfy the wait.
    const changed = join(home, 'changed.yaml');
    const withSource = (sim: string): void =>
      writeFileSync(
        changed,
        `apiVersion: pelotech.ot/v1alpha1
kind: DataSync
metadata: {name: lab-9-2.0.0}
spec:
  workspaceId: lab-9
  version: 2.0.0
  defaults: {diskSize: 10Gi}
  vms:
  - {name: router, sourceType: http, url: "https://images.example.com/lab-9/2.0.1/router.qcow2?sim=${sim}"}
`,
      );
    withSource('stuck');
    const late = await run(script, changed, 'default', '3s');
    assert.equal(late.code, 3, late.stderr);
    assert.match(late.stderr, /^preload: not ready within 3s; the downloads go on$/m);
    assert.match(late.stderr, /^Slots: 1 of \d+ in use/m);

    withSource('http:404');
    const failed = await run(script, changed, 'default', '5m');
    assert.equal(failed.code, 1, failed.stderr);
    assert.match(failed.stderr, /^preload: given up; correct the source/m);

    const wrong = join(home, 'wrong.yaml');
    writeFileSync(wrong, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nothing-to-preload}\n');
    assert.equal((await run(script, wrong, 'default')).code, 2);
  });
});
