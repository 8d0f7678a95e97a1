import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asRefusal, Refusal } from './refusal.ts';

const cases: Record<string, { given: unknown; want: [string, RegExp] }> = {
  'a refusal stays as it is': { given: new Refusal('NotFound', 'gone'), want: ['NotFound', /^gone$/] },
  'a full disk, as Node reports it': {
    given: Object.assign(new Error('write failed'), { code: 'ENOSPC' }),
    want: ['ResourceExhausted', /^copying needs more space/],
  },
  'a full disk, as a program reports it': {
    given: new Error('cp said: error writing: No space left on device'),
    want: ['ResourceExhausted', /delete volumes or snapshots/],
  },
  'what nobody foresaw': { given: new Error('odd'), want: ['Internal', /^copying failed: odd$/] },
};

for (const [name, { given, want }] of Object.entries(cases)) {
  test(`errors become refusals: ${name}`, () => {
    const { code, message } = asRefusal(given, 'copying');
    assert.equal(code, want[0]);
    assert.match(message, want[1]);
  });
}
