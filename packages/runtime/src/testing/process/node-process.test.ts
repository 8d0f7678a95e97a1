import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besides, NodeProcess } from './node-process.ts';

const script = besides(import.meta.url, './fixture/ticker.ts');
const start = (more: Partial<Parameters<typeof NodeProcess.start>[0]> = {}): Promise<NodeProcess> =>
  NodeProcess.start({ script, ready: /^ready/m, ...more });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const lastTick = ({ output }: NodeProcess): number => Number(/.*^tick (\d+)/ms.exec(output)?.[1]);

/** The next tick: what `Date.now` said, and what `new Date` did. */
async function nextTick(child: NodeProcess): Promise<{ now: number; date: number }> {
  const match = await child.said(new RegExp(`^tick ${lastTick(child) + 1} at (\\d+) (\\S+)$`, 'm'));
  return { now: Number(match[1]), date: Date.parse(match[2]!) };
}

test('a program starts with its arguments and variables, and is ready when it says so', async () => {
  await using child = await start({ args: ['a', 'b'], env: { GREETING: 'hello' } });
  assert.match(child.output, /^ready a,b hello$/m);
  assert.equal(child.end, undefined);
});

test('SIGKILL ends it at once, SIGTERM lets it say goodbye', async () => {
  await using killed = await start();
  assert.deepEqual(await killed.kill(), { code: null, signal: 'SIGKILL' });
  assert.equal(isAlive(killed.pid), false);
  await using stopped = await start();
  assert.deepEqual(await stopped.stop(), { code: 3, signal: null });
  assert.match(stopped.output, /bye/);
});

test('a frozen program does nothing until it is thawed', async () => {
  await using frozen = await start();
  await frozen.freeze();
  let hasAnswered = false;
  const answer = frozen.shiftClock(0).then(() => {
    hasAnswered = true;
  });
  await using other = await start();
  await other.said(/^tick 10 /m);
  const before = lastTick(frozen);
  await other.said(/^tick 20 /m);
  assert.deepEqual([hasAnswered, lastTick(frozen)], [false, before]);
  frozen.thaw();
  await answer;
  await nextTick(frozen);
});

test('its wall clock is shifted from the start and in mid-flight', async () => {
  const hour = 3_600_000;
  const offBy = ({ now, date }: { now: number; date: number }): number => {
    assert.ok(Math.abs(now - date) < 1000);
    return Math.round((now - Date.now()) / hour);
  };
  await using child = await start({ clockShiftMs: -hour });
  assert.equal(offBy(await nextTick(child)), -1);
  await child.shiftClock(3 * hour);
  // A tick may have been on its way while the clock was shifted.
  await nextTick(child);
  assert.equal(offBy(await nextTick(child)), 2);
});

test('a program that ends before it is ready is shown with its last words', async () => {
  await assert.rejects(
    NodeProcess.start({ script: besides(import.meta.url, './no-such-program.ts'), ready: /never/ }),
    /ended \(code 1\) without saying \/never\/:[\s\S]*no-such-program/,
  );
});

test('it does not outlive a parent that is killed', async () => {
  await using parent = await NodeProcess.start({
    script: besides(import.meta.url, './fixture/parent.ts'),
    args: [besides(import.meta.url, './fixture/sleeper.ts')],
    ready: /^child (\d+)$/m,
  });
  const pid = Number((await parent.said(/^child (\d+)$/m))[1]);
  assert.ok(isAlive(pid));
  await parent.kill();
  const end = performance.now() + 10_000;
  while (isAlive(pid) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(isAlive(pid), false);
});

test('no listener is left behind', async () => {
  const before = process.listenerCount('exit');
  {
    await using child = await start();
    assert.equal(process.listenerCount('exit'), before + 1);
    assert.ok(child.pid > 0);
  }
  assert.equal(process.listenerCount('exit'), before);
});
