import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayExceedLimits } from './identity.ts';

const cases: Record<string, { given: string; want: boolean }> = {
  'all rights': { given: 'CapPrm:\t0000000000000000\nCapEff:\t000001ffffffffff\n', want: true },
  'all but that one': { given: 'CapEff:\t000001fffeffffff\n', want: false },
  'no rights': { given: 'CapEff:\t0000000000000000\n', want: false },
  'a system that does not say': { given: '', want: false },
};
for (const [name, { given, want }] of Object.entries(cases)) {
  test(`may grow a file system in use: ${name}`, () => assert.equal(mayExceedLimits(given), want));
}
