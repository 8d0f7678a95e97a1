/** What `terrain workspace` does with files: no cluster is asked. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Finished, Running } from './run-terrain.ts';

const entry = join(import.meta.dirname, '../src/terrain.ts');
const example = join(import.meta.dirname, '../../../examples/seeds/000-workspace.yaml');
const nowhere = { KUBECONFIG: '/nowhere', KUBERNETES_SERVICE_HOST: '' };
const run = (...args: string[]): Promise<Finished> => new Running(['workspace', ...args], nowhere).finished;

const wrong = `apiVersion: pelotech.ot/v1alpha1
kind: Workspace
metadata: {name: lab}
spec:
  networks:
    - {name: lan, cidr: 10.10.0.0/24}
    - {name: dmz, cidr: 10.10.0.0/16}
`;

function withFiles(files: Record<string, string>, work: (at: (name: string) => string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-workspace-'));
  const at = (name: string): string => join(directory, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  return work(at).finally(() => rmSync(directory, { recursive: true }));
}

test('validate of the example: valid, exit code 0', async () => {
  assert.deepEqual(await run('validate', example), {
    code: 0,
    stdout: `${example}:3: Workspace demo-workspace-1 is valid\n`,
    stderr: "Not compared with the ranges of the cluster's pods and Services: give them with --pod-range and --service-range.\n",
  });
});

test('validate of several files names every problem with file and line, exit code 1', async () => {
  await withFiles({ 'wrong.yaml': wrong }, async (at) => {
    const { code, stdout } = await run('validate', example, at('wrong.yaml'));
    assert.equal(code, 1);
    assert.equal(
      stdout,
      `${example}:3: Workspace demo-workspace-1 is valid\n${at('wrong.yaml')}:7: spec.networks[1].cidr is "10.10.0.0/16", but it overlaps network lan (10.10.0.0/24); give each network a range of its own\n`,
    );
  });
});

test('validate reads standard input and writes JSON', () => {
  const { status, stdout } = spawnSync(process.execPath, [entry, 'workspace', 'validate', '-', '-o', 'json'], {
    input: wrong,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  const answer = JSON.parse(stdout) as { valid: boolean; labs: { file: string; name: string; problems: object[] }[] };
  assert.deepEqual([answer.valid, answer.labs[0]?.file, answer.labs[0]?.name], [false, '-', 'lab']);
  assert.deepEqual(answer.labs[0]?.problems, [
    {
      line: 7,
      field: 'spec.networks[1].cidr',
      value: '10.10.0.0/16',
      rule: 'it overlaps network lan (10.10.0.0/24); give each network a range of its own',
      message:
        'spec.networks[1].cidr is "10.10.0.0/16", but it overlaps network lan (10.10.0.0/24); give each network a range of its own',
    },
  ]);
});

test('validate takes the ranges of a cluster', async () => {
  const { code, stdout, stderr } = await run(
    'validate',
    example,
    '--pod-range',
    '10.244.0.0/16',
    '--service-range',
    '10.10.0.0/16',
  );
  assert.deepEqual([code, stderr], [1, '']);
  assert.match(
    stdout,
    /:\d+: spec\.networks\[0\]\.cidr is "10\.10\.0\.0\/24", but it overlaps the range of the cluster's Services/,
  );
});

test('a file that is not there, a range that is none and no file at all are wrong usage', async () => {
  assert.deepEqual(await run('validate', '/nowhere.yaml'), {
    code: 2,
    stdout: '',
    stderr: "terrain: /nowhere.yaml cannot be read: ENOENT: no such file or directory, open '/nowhere.yaml'\n",
  });
  assert.deepEqual(await run('validate', example, '--pod-range', 'all'), {
    code: 2,
    stdout: '',
    stderr: 'terrain: all is no range of addresses; write one such as 10.244.0.0/16.\n',
  });
  assert.equal((await run('validate')).code, 2);
});

test('topology of a file: text, and a picture', async () => {
  await withFiles(
    { 'wrong.yaml': wrong, 'two.yaml': `${wrong}---\n${wrong.replace('name: lab', 'name: other')}` },
    async (at) => {
      const text = await run('topology', example);
      assert.equal(text.code, 0);
      assert.match(
        text.stdout,
        /^demo-workspace-1: 6 networks, 1 VM, 2 container clusters, 2 volumes\n\ncontrol-net {2}10\.10\.0\.0\/24\n├─ demo-vm/,
      );

      const picture = await run('topology', example, '--svg', at('lab.svg'));
      assert.deepEqual([picture.code, picture.stdout, picture.stderr], [0, '', `Drawn in ${at('lab.svg')}.\n`]);
      assert.match(readFileSync(at('lab.svg'), 'utf8'), /^<svg .*\n<title>Workspace demo-workspace-1<\/title>/);
      assert.match((await run('topology', example, '--svg', '-')).stdout, /<\/svg>\n$/);

      const flawed = await run('topology', at('wrong.yaml'));
      assert.deepEqual(
        [flawed.code, flawed.stderr],
        [0, `There is 1 problem in lab; \`terrain workspace validate ${at('wrong.yaml')}\` names what to correct.\n`],
      );

      const several = await run('topology', at('two.yaml'));
      assert.deepEqual(
        [several.code, several.stderr],
        [2, `terrain: ${at('two.yaml')} holds several labs; choose one with --name: lab, other\n`],
      );
      assert.match((await run('topology', at('two.yaml'), '--name', 'other')).stdout, /^other: 2 networks\n/);
    },
  );
});
