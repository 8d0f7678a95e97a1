import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Checkout, until } from './testing-checkout.ts';

const within = { timeout: 10_000 };
const ci = 'ci --no-audit --no-fund --loglevel=error';
const installing = 'terrain: installing npm packages (package-lock.json is new or has changed)\n';
const seconds = (output: string): string => output.replace(/in \d+ s/, 'in N s');

test('bootstrap installs once, says so, and is silent when nothing is to be done', within, async (t) => {
  const checkout = new Checkout(t);
  const first = await checkout.run();
  assert.deepEqual([first.code, seconds(first.output)], [0, `${installing}terrain: npm packages installed in N s\n`]);
  assert.deepEqual(await checkout.run(), { code: 0, output: '' });
  assert.deepEqual(checkout.npmCalls(), [ci]);
  assert.deepEqual(
    readdirSync(checkout.root).filter((name) => name.startsWith('.npm-install')),
    [],
  );
});

const changes: Record<string, { given: (checkout: Checkout) => void; want: number }> = {
  'another package-lock.json': { given: (checkout) => checkout.write('package-lock.json', '{ "packages": {} }'), want: 2 },
  'the same package-lock.json written anew': { given: (checkout) => checkout.write('package-lock.json', '{}'), want: 1 },
  'another .npmrc': { given: (checkout) => checkout.write('.npmrc', 'fund=false\n'), want: 2 },
  'packages that were removed': { given: ({ root }) => rmSync(join(root, 'node_modules'), { recursive: true }), want: 2 },
  'a Node that was removed': { given: ({ root }) => rmSync(join(root, 'node_modules/.bin/node')), want: 2 },
};

for (const [name, { given, want }] of Object.entries(changes))
  test(`bootstrap after ${name}: ${want === 1 ? 'nothing to do' : 'installs again'}`, within, async (t) => {
    const checkout = new Checkout(t);
    assert.equal((await checkout.run()).code, 0);
    given(checkout);
    assert.equal((await checkout.run()).code, 0);
    assert.equal(checkout.npmCalls().length, want);
  });

test('bootstrap says when npm failed, leaves no lock, and tries again the next time', within, async (t) => {
  const checkout = new Checkout(t);
  assert.deepEqual(await checkout.run({ NPM_FAILS: '1' }), {
    code: 1,
    output: `${installing}terrain: \`npm ci\` failed; its own words are above. If a registry was unreachable, try again.\n`,
  });
  assert.ok(!existsSync(checkout.lock));
  assert.equal((await checkout.run()).code, 0);
  assert.equal(checkout.npmCalls().length, 2);
});

test('bootstrap says when there is no npm', within, async (t) => {
  const { code, output } = await new Checkout(t).run({ npm_execpath: '', PATH: '' });
  assert.equal(code, 1);
  assert.match(output, /\nterrain: npm could not be started \(.*ENOENT\)\. Install npm 10 or newer and try again\.\n$/);
});

test('bootstrap says when there is no Node 26 for the machine', within, async (t) => {
  const { code, output } = await new Checkout(t).run({ NPM_HAS_NO_NODE: '1' });
  assert.equal(code, 1);
  assert.match(output, /\nterrain: no Node 26 package exists for \w+\/\w+\. Supported: .*\.\n$/);
});

test('bootstrap says what is missing in half a checkout', within, async (t) => {
  const checkout = new Checkout(t);
  rmSync(join(checkout.root, 'package-lock.json'));
  assert.deepEqual(await checkout.run(), {
    code: 1,
    output: `terrain: ${join(checkout.root, 'package-lock.json')} cannot be read (ENOENT). Check the repository out anew.\n`,
  });
});

test('bootstrap refuses a Node that is too old, in a sentence', within, async (t) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });`;
  const checkout = new Checkout(t);
  assert.deepEqual(await checkout.run({}, '--import', `data:text/javascript,${encodeURIComponent(older)}`), {
    code: 1,
    output: "terrain: Node 18.20.4 is too old to install Terrain's packages. Install Node 20 or newer.\n",
  });
  assert.deepEqual(checkout.npmCalls(), []);
});

test('bootstrap: of two at once one installs, and the other says for whom it waits', within, async (t) => {
  const checkout = new Checkout(t);
  const first = checkout.start({ NPM_WAITS: '1' });
  await until(() => checkout.npmCalls().length === 1);
  const second = checkout.start();
  await second.said(/waiting/);
  checkout.write('npm-may-go', '');
  assert.equal((await first.end).code, 0);
  assert.deepEqual(await second.end, {
    code: 0,
    output: `terrain: process ${first.pid} is installing npm packages already; waiting for it. If it hangs, end it; if it is no npm of yours, delete ${checkout.lock}.\n`,
  });
  assert.deepEqual(checkout.npmCalls(), [ci]);
});

test('bootstrap: who waits goes on when the installer was killed', within, async (t) => {
  const checkout = new Checkout(t);
  const first = checkout.start({ NPM_WAITS: '1' });
  await until(() => checkout.npmCalls().length === 1);
  const second = checkout.start();
  await second.said(/waiting/);
  checkout.write('npm-may-go', '');
  process.kill(first.pid, 'SIGKILL');
  assert.equal((await second.end).code, 0);
});

test('bootstrap: of many that find the lock of a dead installer, one installs', within, async (t) => {
  const checkout = new Checkout(t);
  writeFileSync(checkout.lock, `${process.pid} another life`);
  const ends = await Promise.all(Array.from({ length: 5 }, () => checkout.run()));
  assert.deepEqual(
    ends.map(({ code }) => code),
    [0, 0, 0, 0, 0],
  );
  assert.deepEqual(checkout.npmCalls(), [ci]);
});

test('bootstrap: a lock that only has the number of a running process is waited for, aloud', within, async (t) => {
  const checkout = new Checkout(t);
  writeFileSync(checkout.lock, String(process.pid));
  const waiting = checkout.start();
  await waiting.said(new RegExp(`process ${process.pid} is installing .* delete ${RegExp.escape(checkout.lock)}`));
  rmSync(checkout.lock);
  assert.equal((await waiting.end).code, 0);
});

test('bootstrap says when the lock cannot be read, and what to do', within, async (t) => {
  const checkout = new Checkout(t);
  mkdirSync(checkout.lock);
  assert.deepEqual(await checkout.run(), {
    code: 1,
    output: `terrain: ${checkout.lock} cannot be read (EISDIR), so it is unknown whether another process installs npm packages. If none does, delete it (\`rm -r ${checkout.lock}\`) and try again.\n`,
  });
  assert.deepEqual(checkout.npmCalls(), []);
  assert.deepEqual(
    readdirSync(checkout.root).filter((name) => name.startsWith('.npm-install')),
    ['.npm-install.lock'],
  );
});
