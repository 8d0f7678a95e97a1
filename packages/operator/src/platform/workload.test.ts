import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastWords, type Pod, wordsBeforeRestart } from './workload.ts';

type Containers = NonNullable<NonNullable<Pod['status']>['containerStatuses']>;
const ended = (exitCode: number, message?: string) => ({
  terminated: { exitCode, ...(message === undefined ? {} : { message }) },
});
const running = {};

const cases: Record<string, { of: Omit<Containers[number], 'name'>; now?: string; ever?: string }> = {
  'a container that failed': { of: { state: ended(1, ' no route\n') }, now: 'no route', ever: 'no route' },
  'one that failed and was started again': { of: { state: running, lastState: ended(1, 'got 404') }, ever: 'got 404' },
  'one that failed twice': { of: { state: ended(2, 'second'), lastState: ended(1, 'first') }, now: 'second', ever: 'second' },
  'one that failed, and then ended well': {
    of: { state: ended(0, '{"scratchSpaceRequired":false}'), lastState: ended(1, 'got 404') },
    ever: 'got 404',
  },
  'one that ended well': { of: { state: ended(0, '{"scratchSpaceRequired":false}') } },
  'one that failed without a word': { of: { state: ended(1, ''), lastState: ended(1) } },
  'one that runs': { of: { state: running } },
};
for (const [name, { of, now, ever }] of Object.entries(cases))
  test(`the words of ${name}`, () => {
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      status: { containerStatuses: [{ name: 'c', ...of }] },
    };
    assert.deepEqual([lastWords(pod), wordsBeforeRestart(pod)], [now, ever]);
  });

test('of long words the end is told to people, and all is there to be judged', () => {
  const message = `start ${'x'.repeat(900)} end`;
  const status = { containerStatuses: [{ name: 'c', state: ended(1, message) }] };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status };
  assert.deepEqual([lastWords(pod)?.length, wordsBeforeRestart(pod)], [500, message]);
});
