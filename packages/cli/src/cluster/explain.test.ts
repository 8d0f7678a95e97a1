import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, NoAnswerError } from '@terrain/runtime';
import { CommandError } from '../output/exit.ts';
import { explain } from './explain.ts';

const target = { server: 'https://lab:6443', whenSilent: 'see that it runs' };
const request = { method: 'GET', path: '/api/v1/x' } as const;
const answer = (code: number, reason: string) => new ApiError(code, { message: 'x is not for you', reason }, 'GET /api/v1/x');

const cases: Record<string, { given: Error; want: string }> = {
  'a server that is away': {
    given: new NoAnswerError(request, 'connect ECONNREFUSED'),
    want: 'https://lab:6443 does not answer (connect ECONNREFUSED); see that it runs.',
  },
  'a login that fails': {
    given: new NoAnswerError(request, 'there is no token to send it with: the plugin crashed', { isWithoutToken: true }),
    want: 'cannot sign in to https://lab:6443 (there is no token to send it with: the plugin crashed); sign in again, or give another --kubeconfig.',
  },
  'credentials that nobody knows': {
    given: answer(401, 'Unauthorized'),
    want: 'https://lab:6443 does not know these credentials; sign in again, or give another --kubeconfig.',
  },
  'missing rights': { given: answer(403, 'Forbidden'), want: 'not allowed: x is not for you' },
  'a cluster without the kinds': {
    given: answer(404, ''),
    want: "https://lab:6443 does not have Terrain's kinds; install Terrain there first.",
  },
  'another refusal': { given: answer(422, 'Invalid'), want: 'https://lab:6443 refuses: x is not for you' },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`people read of ${name} in one sentence`, () => {
    const told = explain(given, target);
    assert.ok(told instanceof CommandError);
    assert.equal(told.message, want);
  });

test('a fault of the program is left as it is', () => {
  const fault = new TypeError('undefined is not a function');
  assert.equal(explain(fault, target), fault);
});
