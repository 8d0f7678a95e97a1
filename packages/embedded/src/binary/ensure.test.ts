import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isRunning } from '#process/process-facts.ts';
import { until } from '#process/until.ts';
import type { ProgressEvent } from '#progress.ts';
import { type FakeGoOptions, fakeGo } from '#testing/fake-go.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { type EnsureOptions, ensureBinaries, missingGroups } from './ensure.ts';

function setUp(t: TestContext, options: FakeGoOptions = {}) {
  const directory = temporaryDirectory(t);
  const go = fakeGo(directory, options);
  const events: ProgressEvent[] = [];
  const ensure = (more: Partial<EnsureOptions> = {}) =>
    ensureBinaries(['core'], {
      cacheDirectory: directory,
      env: go.env,
      progress: (event) => events.push(event),
      freeBytes: async () => 1e12,
      retryDelayMs: () => 0,
      ...more,
    });
  const notes = () => events.flatMap((event) => (event.type === 'note' ? [event.message] : []));
  return {
    directory,
    go,
    events,
    notes,
    ensure,
    left: () => readdirSync(join(directory, 'binaries')).filter((name) => !name.startsWith('core-')),
  };
}

test('a group is built once and found from then on', async (t) => {
  const { go, ensure, events, left } = setUp(t);
  const binaries = await ensure();
  assert.ok(existsSync(binaries.path('etcd')), 'the program that Go calls server has our name');
  assert.ok(existsSync(binaries.path('kube-apiserver')));
  assert.deepEqual(go.calls(), ['env', 'list', 'build']);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['started', 'advanced', 'advanced', 'finished'],
  );
  assert.deepEqual(left(), []);
  await ensure();
  assert.deepEqual(go.calls(), ['env', 'list', 'build'], 'the second time Go is not even asked');
});

test('what would have to be built is known without building it', async (t) => {
  const { directory, ensure } = setUp(t);
  const missing = () => missingGroups(['core', 'sim'], { cacheDirectory: directory });
  assert.deepEqual(await missing(), ['core', 'sim']);
  const binaries = await ensure();
  assert.deepEqual(await missing(), ['sim']);
  rmSync(binaries.path('etcd'));
  assert.deepEqual(await missing(), ['core', 'sim'], 'a damaged group does not count');
});

test('a program of a group that was not asked for is a mistake of the caller', async (t) => {
  const binaries = await setUp(t).ensure();
  assert.throws(() => binaries.path('kwok'), /was not asked for/);
});

test('no Go is one sentence', async (t) => {
  const { ensure, directory } = setUp(t);
  await assert.rejects(ensure({ env: { PATH: join(directory, 'nowhere') } }), {
    code: 'GoMissing',
    message: /there is no `go` on the PATH: install Go 1\.26\.0 or newer/,
  });
});

test('an old Go is one sentence that says which', async (t) => {
  const { ensure, go } = setUp(t, { version: '1.22.3' });
  await assert.rejects(ensure(), {
    code: 'GoTooOld',
    message: /^Go 1\.22\.3 \(.+\) is too old to build Kubernetes: install Go 1\.26\.0 or newer/,
  });
  assert.deepEqual(go.calls(), ['env']);
});

test('too little disk space is noticed before anything is downloaded', async (t) => {
  const { ensure, go } = setUp(t);
  await assert.rejects(ensure({ freeBytes: async () => 2e9 }), {
    code: 'NoDiskSpace',
    message: /needs about 6\.4 GB .+ has 2\.0 GB left/,
  });
  assert.deepEqual(go.calls(), ['env']);
});

const fullDisks: Record<string, string> = {
  'all that follows fails too': [
    'internal/strconv',
    '# internal/runtime/sys',
    'compile: writing output: write $WORK/b027/_pkg_.a: no space left on device',
    'internal/asan',
    'internal/asan: write /cache/tmp/go-build336890811/b029/importcfg: no space left on device',
  ].join('\n'),
  'what was smaller still went well': [
    '# k8s.io/kubernetes/cmd/kubectl',
    'link: writing output: write $WORK/b001/exe/a.out: no space left on device',
    ...Array.from({ length: 20 }, (_, index) => `example.com/small/${index}`),
  ].join('\n'),
  'a download broke off because of it': [
    'go: k8s.io/api@v0.36.3: write /modules/k8s.io/api.zip: no space left on device',
    'go: k8s.io/api@v0.36.3: zip: unexpected EOF',
  ].join('\n'),
  'the disk has room, but not for this user': 'link: writing output: write $WORK/b001/exe/a.out: disk quota exceeded',
};
for (const [name, buildWords] of Object.entries(fullDisks)) {
  test(`a disk that becomes full in the middle of a build is one sentence: ${name}`, async (t) => {
    const { ensure, go, directory } = setUp(t, { buildWords });
    await assert.rejects(ensure(), {
      code: 'NoDiskSpace',
      message:
        'The disk became full during the build: free some space (about 6 GB in all) and start again; what was built so far is kept.',
    });
    assert.deepEqual(go.calls(), ['env', 'list', 'build'], 'trying again cannot help');
    assert.deepEqual(readdirSync(join(directory, 'binaries')), [], 'nothing half made takes up room');
    fakeGo(directory);
    assert.ok(existsSync((await ensure()).path('etcd')), 'and with more room the next start works');
  });
}

test('a module proxy that throttles is asked again, and people are told', async (t) => {
  const { ensure, go, notes } = setUp(t, { failures: 2 });
  await ensure();
  assert.deepEqual(go.calls(), ['env', 'list', 'list', 'list', 'build']);
  assert.deepEqual(notes(), [
    'Downloading Go modules was interrupted (the module proxy asked us to slow down); trying again in 0 s, attempt 2 of 8.',
    'Downloading Go modules was interrupted (the module proxy asked us to slow down); trying again in 0 s, attempt 3 of 8.',
  ]);
});

test('a proxy that never recovers ends with its own words', async (t) => {
  const { ensure, go, left } = setUp(t, { failures: 99 });
  await assert.rejects(ensure(), {
    code: 'BuildFailed',
    message: /`go list` failed; its last words were:\nreading module: 429 Too Many Requests/,
  });
  assert.equal(go.calls().length, 9);
  assert.deepEqual(left(), []);
});

test('an error that no second try can mend is not tried again', async (t) => {
  const { ensure, go } = setUp(t, { failures: 1, complaint: 'x.go:1: syntax error' });
  await assert.rejects(ensure(), { code: 'BuildFailed', message: /syntax error/ });
  assert.deepEqual(go.calls(), ['env', 'list']);
});

test('an interrupt in the middle leaves no process and no half entry', async (t) => {
  const { ensure, go, directory } = setUp(t, { hangs: true });
  const stop = new AbortController();
  const building = ensure({ signal: stop.signal });
  const pids = await until('the compiler', async () => (go.pids().length === 2 ? go.pids() : undefined), {
    timeoutMs: 10_000,
    everyMs: 5,
  });
  assert.ok(pids.every(isRunning));
  stop.abort();
  await assert.rejects(building, {
    code: 'BuildInterrupted',
    message:
      /^The build of .+ was interrupted, and nothing of it runs any more\. What was compiled so far is kept: the next start goes on from there\.$/,
  });
  assert.deepEqual(pids.filter(isRunning), []);
  assert.deepEqual(readdirSync(join(directory, 'binaries')), []);
});

test('a builder that is killed takes its compilers along, and the next one starts afresh', async (t) => {
  const { ensure, go, directory, left } = setUp(t, { hangs: true });
  const script = `
    import { ensureBinaries } from '${import.meta.resolve('./ensure.ts')}';
    await ensureBinaries(['core'], { cacheDirectory: process.env.CACHE, env: { PATH: process.env.FAKE_PATH }, freeBytes: async () => 1e12 });`;
  const builder = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    env: { ...process.env, CACHE: directory, FAKE_PATH: go.env.PATH },
    stdio: 'ignore',
  });
  const pids = await until('the compiler', async () => (go.pids().length === 2 ? go.pids() : undefined), {
    timeoutMs: 20_000,
    everyMs: 5,
  });
  builder.kill('SIGKILL');
  await until('the end of the compiler', async () => (pids.some(isRunning) ? undefined : true), { timeoutMs: 5000, everyMs: 5 });
  assert.equal(left().length, 1, 'the work directory of the killed builder is still there');
  fakeGo(directory);
  assert.ok(existsSync((await ensure()).path('etcd')));
  assert.deepEqual(left(), []);
});

test('of two builders at once one builds, the other waits for it', async (t) => {
  const { ensure, go } = setUp(t);
  const [first, second] = await Promise.all([ensure(), ensure()]);
  assert.equal(first.path('etcd'), second.path('etcd'));
  assert.equal(go.calls().filter((call) => call === 'build').length, 1);
});

const damages: Record<string, { damage: (program: string) => void; want: RegExp }> = {
  'a program is missing': { damage: (program) => rmSync(program), want: /etcd is missing/ },
  'a program is cut off': { damage: (program) => truncateSync(program, 3), want: /etcd has 3 bytes instead of/ },
  'a program was overwritten': {
    damage: (program) => writeFileSync(program, '#!/bin/sh\necho sErver\n'),
    want: /etcd was changed after it was built/,
  },
  'a program lost its permission': { damage: (program) => chmodSync(program, 0o644), want: /etcd is not executable/ },
  'the manifest is gone': {
    damage: (program) => rmSync(join(program, '..', 'manifest.json')),
    want: /manifest\.json is missing or unreadable/,
  },
  'the manifest is garbage': {
    damage: (program) => writeFileSync(join(program, '..', 'manifest.json'), '{'),
    want: /manifest\.json is missing or unreadable/,
  },
};

for (const [name, { damage, want }] of Object.entries(damages)) {
  test(`a damaged cache is built again with a sentence: ${name}`, async (t) => {
    const { ensure, go, notes } = setUp(t);
    damage((await ensure()).path('etcd'));
    assert.ok(existsSync((await ensure()).path('etcd')));
    assert.equal(go.calls().filter((call) => call === 'build').length, 2);
    assert.match(notes().join(), want);
    await ensure();
    assert.equal(go.calls().filter((call) => call === 'build').length, 2, 'and is whole afterwards');
  });
}

test('ready-made programs are taken from their directory, with no Go at all', async (t) => {
  const { ensure, directory, go } = setUp(t);
  for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'])
    writeFileSync(join(directory, name), '', { mode: 0o755 });
  await assert.rejects(ensure({ binaries: directory }), {
    code: 'BinaryMissing',
    message:
      /has no program called kubectl that can be run: run `terrain build core --output \S+` where Go is, or leave out --binaries/,
  });
  writeFileSync(join(directory, 'kubectl'), '', { mode: 0o755 });
  assert.equal((await ensure({ binaries: directory })).path('kubectl'), join(directory, 'kubectl'));
  const fromHere = relative(process.cwd(), directory);
  assert.equal((await ensure({ binaries: fromHere })).path('kubectl'), join(directory, 'kubectl'), 'they are started elsewhere');
  assert.deepEqual(go.calls(), []);
});
