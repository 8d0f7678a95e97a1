/** What a person reads, and what a script sees, when a start cannot work. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { type FakeGoOptions, fakeGo } from '@terrain/embedded/testing';
import { isAlive, Running } from './run-terrain.ts';

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'terrain-bad-day-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A machine with this Go, if any, on its PATH and nothing in the cache. */
function machineWith(t: TestContext, options: FakeGoOptions | 'no Go') {
  const directory = temporary(t);
  const cache = join(directory, 'cache');
  const go = options === 'no Go' ? undefined : fakeGo(directory, options);
  return { directory, cache, go, environment: { TERRAIN_CACHE: cache, PATH: directory, ...go?.env } };
}

const readyMade = 'or pass --binaries DIR with what `terrain build --output DIR` made on another machine.';
const refused = 'go: x: Get "https://m.test/x": proxyconnect tcp: dial tcp 127.0.0.1:9: connect: connection refused';

/** `DIR` stands for a directory of the test's own. */
const builds: Record<string, { go: FakeGoOptions | 'no Go'; env?: NodeJS.ProcessEnv; want: RegExp }> = {
  'no Go': {
    go: 'no Go',
    want: /^terrain: Go is needed once to build Kubernetes from source, and there is no `go` on the PATH: install Go 1\.\d+(\.\d+)? or newer from https:\/\/go\.dev\/dl, READY-MADE\n$/,
  },
  'Go that is too old': {
    go: { version: '1.20.1' },
    want: /^terrain: Go 1\.20\.1 \(DIR\/go-bin\/go\) is too old to build Kubernetes: install Go 1\.\d+(\.\d+)? or newer from https:\/\/go\.dev\/dl and put it first on the PATH, READY-MADE\n$/,
  },
  'no disk space before the build': {
    go: { buildCache: '/proc' },
    want: /^terrain: Building Kubernetes needs about \d\.\d GB of disk space and \/proc has 0\.0 GB left: free some, or point GOCACHE, GOMODCACHE and TERRAIN_CACHE to a larger disk\.\n$/,
  },
  'no disk space during the build': {
    go: { buildWords: 'write /x: no space left on device' },
    want: /^terrain: The disk became full during the build: free some space \(about 6 GB in all\) and start again; what was built so far is kept\.\n$/,
  },
  'a proxy that is not there': {
    go: { failures: 99, complaint: refused },
    env: { HTTPS_PROXY: 'http://127.0.0.1:9' },
    want: /^terrain: Go cannot reach the proxy http:\/\/127\.0\.0\.1:9 that HTTPS_PROXY names \(connection refused\): start the proxy, or correct HTTPS_PROXY, or unset it if no proxy is needed, and start again; what was downloaded so far is kept\.\n$/,
  },
};

for (const [name, { go, env, want }] of Object.entries(builds)) {
  test(`${name}: a build ends with 1 and a sentence`, async (t) => {
    const { directory, environment } = machineWith(t, go);
    const { code, stderr } = await new Running(['build', 'sim'], { ...environment, ...env }).finished;
    const sentence = stderr.slice(stderr.indexOf('terrain: '));
    assert.match(
      sentence,
      new RegExp(want.source.replaceAll('DIR\\/', `${directory}/`).replace('READY-MADE', escaped(readyMade))),
    );
    assert.equal(code, 1);
  });
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

for (const command of ['build', 'up'] as const) {
  test(`Ctrl-C during the build of \`${command}\`: 130, a sentence, nothing left running, and the cache is as before`, async (t) => {
    const { directory, cache, go, environment } = machineWith(t, { hangs: true });
    const args = command === 'build' ? ['build', 'core'] : ['up', '--home', join(directory, 'home'), '--nodes', 'none'];
    const running = new Running(args, environment);
    const ended = running.finished.then(({ stderr }) => assert.fail(`ended before the build began:\n${stderr}`));
    await Promise.race([ended, until('the build begins', () => go?.pids().length === 2)]);
    running.child.kill('SIGINT');
    const { code, stderr } = await running.finished;
    assert.match(
      stderr,
      /\nterrain: The build of .+ was interrupted, and nothing of it runs any more\. What was compiled so far is kept: the next start goes on from there\.\n$/,
    );
    assert.equal(code, 130);
    // Whoever takes over the children of a dead process may take its time to notice their end.
    await until('all of the build has ended', () => go?.pids().some(isAlive) === false);
    const left = existsSync(join(cache, 'binaries')) ? readdirSync(join(cache, 'binaries')) : [];
    assert.deepEqual(left, []);
  });
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  for await (const _ of setInterval(20)) {
    if (isSo()) return;
    if (performance.now() > end) assert.fail(`${what}: not within 30 s`);
  }
}

const kept = 'Nothing was changed. Choose another home with --home DIR';

/** `HOME` stands for the home. */
const homes: Record<string, { given: Record<string, string>; want: string }> = {
  'a home of a newer version': {
    given: { 'home.json': '{"format":99,"kubernetes":"1.36.3"}' },
    want: `HOME was made by a newer version of Terrain (format 99, this one knows 1). ${kept}, or use that version again.`,
  },
  'a home of an older version': {
    given: { 'home.json': '{"format":1,"kubernetes":"1.30.0"}' },
    want: `HOME was last used with Kubernetes 1.30.0; 1.36.3 can take over data of the release before it at most. ${kept}, or start this home once with a version of Terrain in between.`,
  },
  'a home without its record': {
    given: { 'etcd/data/member/snap/db': 'x' },
    want: `HOME holds a cluster's data but no home.json, so it is unknown which version made it. ${kept}, or restore that file.`,
  },
  'a home whose record is damaged': {
    given: { 'home.json': '{"for' },
    want: `HOME/home.json cannot be read, so it is unknown which version made this home. ${kept}, or restore that file.`,
  },
  'data that etcd cannot read': {
    given: {
      'home.json': '{"format":1,"kubernetes":"1.36.3"}',
      'etcd/data/member/wal/0000000000000000-0000000000000000.wal': 'x'.repeat(64),
      'etcd/data/member/snap/db': 'x'.repeat(64),
    },
    want: 'etcd cannot read the data in HOME/etcd/data (failed to open database: invalid database). Nothing was deleted. Restore that directory from a copy, or run `terrain down --wipe --home HOME`, which sets the data aside under another name, and start with an empty cluster.',
  },
};

for (const [name, { given, want }] of Object.entries(homes)) {
  test(`${name}: a start ends with 1 and a sentence`, { timeout: 120_000 }, async (t) => {
    const home = join(temporary(t), 'home');
    for (const [path, content] of Object.entries(given)) {
      mkdirSync(join(home, path, '..'), { recursive: true });
      writeFileSync(join(home, path), content);
    }
    const only = ['--nodes', 'none', '--no-examples', '--no-operator', '--no-simulator'];
    const { code, stderr } = await new Running(['up', '--home', home, ...only]).finished;
    assert.equal(stderr.slice(stderr.indexOf('terrain: ')), `terrain: ${want.replaceAll('HOME', home)}\n`);
    assert.equal(code, 1);
  });
}
