import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Running, terrain, withHome } from './run-terrain.ts';

const cases: Record<string, { args: string[]; code: number; words: RegExp }> = {
  'an unknown command': {
    args: ['fly'],
    code: 2,
    words: /error: unknown command 'fly'\n\(`terrain --help` lists what there is\)/,
  },
  'an unknown option': { args: ['up', '--fast'], code: 2, words: /error: unknown option '--fast'/ },
  'a timeout that is no duration': {
    args: ['up', '--timeout', 'soon'],
    code: 2,
    words: /Write a duration such as 90s, 10m or 1h30m\./,
  },
  'a port that is none': { args: ['up', '--port', '70000'], code: 2, words: /Write a port between 1 and 65535\./ },
  'a namespace that cannot be one': {
    args: ['vm', 'list', '-n', 'No Such'],
    code: 2,
    words: /Write the name of a namespace: lower-case letters, digits and dashes, at most 63\./,
  },
  'machines that are not named': { args: ['vm', 'wait'], code: 2, words: /error: missing required argument 'name'/ },
  'something machines cannot do': { args: ['vm', 'fly'], code: 2, words: /error: unknown command 'fly'/ },
  'a form no list has': { args: ['vm', 'list', '-o', 'xml'], code: 2, words: /Allowed choices are table, wide, json, yaml\./ },
  'an unknown kind of nodes': { args: ['up', '--nodes', 'real'], code: 2, words: /Allowed choices are simulated, none\./ },
  'an unknown group': {
    args: ['build', 'everything'],
    code: 2,
    words: /terrain: there is no group everything; there are core, sim/,
  },
};

for (const [name, { args, code, words }] of Object.entries(cases)) {
  test(`${name} is refused with the choices there are`, async () => {
    const result = await terrain(...args);
    assert.equal(result.code, code);
    assert.match(result.stderr, words);
  });
}

const impossible = '/proc/terrain-test/directory';
const directories: Record<string, { args: string[]; environment?: NodeJS.ProcessEnv; advice: string }> = {
  'a home': { args: ['up', '--home', impossible], advice: 'choose another home with --home DIR or $TERRAIN_HOME' },
  'a home in the background': {
    args: ['up', '--detach', '--home', impossible],
    advice: 'choose another home with --home DIR or $TERRAIN_HOME',
  },
  'a home of somebody else': {
    args: ['up', '--home', '/sys/kernel'],
    advice: 'choose another home with --home DIR or $TERRAIN_HOME',
  },
  'a cache': {
    args: ['build'],
    environment: { TERRAIN_CACHE: impossible },
    advice: 'choose another cache with $TERRAIN_CACHE',
  },
  'a place for programs': { args: ['build', '--output', impossible], advice: 'choose another with --output' },
};
for (const [name, { args, environment = {}, advice }] of Object.entries(directories)) {
  test(`${name} that cannot be made, or written, is one sentence`, { timeout: 60_000 }, async (t) => {
    const running = new Running(args, environment);
    // Were it not refused, it would not end.
    t.after(() => running.child.kill('SIGKILL'));
    const { code, stderr } = await running.finished;
    assert.equal(code, 1);
    const [sentence = ''] = stderr.split('\n').filter((line) => line.startsWith('terrain: '));
    assert.match(sentence, /^terrain: (\/proc\S* cannot be made a directory: \S|Nothing can be put into \/sys\/kernel \(E\w+\))/);
    assert.ok(sentence.endsWith(` ${advice}.`), stderr);
  });
}

test('a gateway can be left out, though there is none yet', async () => {
  await withHome(async (home) => {
    const { code, stderr } = await terrain('up', '--home', home, '--no-gateway', '--binaries', '/nonexistent');
    assert.deepEqual(
      { code, isUnderstood: stderr.startsWith('terrain: /nonexistent has no program') },
      { code: 1, isUnderstood: true },
    );
  });
});

test('help names every command and exits with 0', async () => {
  const { code, stdout } = await terrain('--help');
  assert.equal(code, 0);
  for (const command of ['up', 'down', 'status', 'kubeconfig', 'doctor', 'build', 'image', 'vm'])
    assert.match(stdout, new RegExp(`^  ${command} `, 'm'));
});

test('a home without a cluster is said to be one, with the way out', async () => {
  await withHome(async (home) => {
    assert.deepEqual(await terrain('status', '--home', home), {
      code: 1,
      stdout: `There is no cluster in ${home}; start one with \`terrain up --home ${home}\`.\n`,
      stderr: '',
    });
    assert.deepEqual(await terrain('kubeconfig', '--home', home), {
      code: 1,
      stdout: '',
      stderr: `terrain: ${home} has no cluster yet; start one with \`terrain up --home ${home}\`.\n`,
    });
    assert.deepEqual(await terrain('down', '--home', home), { code: 0, stdout: `Nothing was running in ${home}.\n`, stderr: '' });
  });
});

test('doctor looks at this machine, one line each', async () => {
  const { stdout } = await terrain('doctor');
  assert.match(stdout, /^✓ go /m);
  for (const line of stdout.trimEnd().split('\n')) assert.match(line, /^[✓!✗] \S/);
});
