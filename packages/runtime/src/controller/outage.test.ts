import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#transport/api-error.ts';
import { Connection } from '#transport/connection.ts';
import { NoAnswerError } from '#transport/no-answer-error.ts';
import { waitAfter } from './outage.ts';

const refused = new NoAnswerError({ method: 'GET', path: '/api' }, 'connect ECONNREFUSED');
/** What a request ends with for want of a token, by whichever way that is. */
const loginFailed = await (async (): Promise<unknown> => {
  await using connection = new Connection({
    server: 'http://127.0.0.1:1',
    token: () => Promise.reject(new Error('the plugin crashed')),
  });
  return connection.request({ method: 'GET', path: '/api' }).catch((error: unknown) => error);
})();
const answer = (code: number, retryAfterMs?: number): ApiError => new ApiError(code, undefined, 'GET /api', retryAfterMs);

const minute = 60_000;
const cases: Record<string, { given: unknown; grownMs: number; want: number }> = {
  'no answer, again and again': { given: refused, grownMs: minute, want: 5000 },
  'no answer for the first time': { given: refused, grownMs: 100, want: 100 },
  'a server that is starting': { given: answer(503), grownMs: minute, want: 5000 },
  'a server that is starting and knows for how long': { given: answer(503, 8000), grownMs: minute, want: 8000 },
  'two writes that both got no answer': { given: new AggregateError([refused, answer(503)]), grownMs: minute, want: 5000 },
  'two writes of which one failed': { given: new AggregateError([refused, answer(422)]), grownMs: minute, want: minute },
  'no answer, told in other words': { given: new Error('the mail server', { cause: refused }), grownMs: minute, want: 5000 },
  'a login that failed': { given: loginFailed, grownMs: minute, want: 5000 },
  'a refusal': { given: answer(422), grownMs: minute, want: minute },
  'a failing webhook, which may be about this object': { given: answer(500), grownMs: minute, want: minute },
  throttling: { given: answer(429, minute), grownMs: 100, want: minute },
  'a server that asks for a day': { given: answer(503, 1440 * minute), grownMs: 100, want: minute },
  'an error of the reconcile itself': { given: new TypeError('undefined is not a function'), grownMs: minute, want: minute },
  'nothing thrown at all': { given: undefined, grownMs: minute, want: minute },
};
for (const [name, { given, grownMs, want }] of Object.entries(cases))
  test(`wait after ${name}`, () =>
    assert.equal(
      waitAfter(given, grownMs, () => 0),
      want,
    ));

test('keys that rest together do not come back in step', () => {
  assert.equal(
    waitAfter(refused, minute, () => 0.5),
    5250,
  );
});
