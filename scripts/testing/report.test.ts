import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Outcome, reportOf } from './report.ts';

const passed: Outcome = { part: { name: 'unit' }, seconds: 90, isPassed: true, passed: 12, failed: 0, failures: [] };
const failed: Outcome = { part: { name: 'api' }, seconds: 30, isPassed: false, passed: 3, failed: 1, failures: ['it broke'] };
const none = new Map<Outcome['part'], string>();

test('a run passes when all parts did, in time', () => {
  assert.deepEqual(reportOf([passed], { minutes: 75, postponed: none }), {
    text: `
part         result   minutes  tests
unit         passed       1.5  12
all                       75.0

12 passed, 0 failed`,
    isPassed: true,
  });
});

test('a run of more than 75 minutes fails, though all parts passed, and says so', () => {
  const { text, isPassed } = reportOf([passed], { minutes: 75.1, postponed: none });
  assert.equal(isPassed, false);
  assert.match(text, /^The run took longer than 75 minutes, which is a failure: make the slowest part faster\.$/m);
});

test('a failed part fails the run, and what it said is repeated', () => {
  const { text, isPassed } = reportOf([passed, failed], { minutes: 2, postponed: none });
  assert.equal(isPassed, false);
  assert.match(text, /^\n\[api\] it broke\n/);
  assert.match(text, /^api {10}FAILED {7}0\.5 {2}4$/m);
  assert.match(text, /\n15 passed, 1 failed$/);
});

test('a part that was put off is named with the way to run it, and fails nothing', () => {
  const postponed = new Map([[{ name: 'real' }, 'node would have to be built first']]);
  const { text, isPassed } = reportOf([passed], { minutes: 2, postponed });
  assert.equal(isPassed, true);
  assert.match(text, /^real {9}not run: node would have to be built first; npm test -- real does it$/m);
});
