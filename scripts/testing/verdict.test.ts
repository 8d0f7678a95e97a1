import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Verdict, verdictOf } from './verdict.ts';

const cases: Record<string, { given: [code: number, output: string]; want: Verdict }> = {
  'all passed': {
    given: [0, 'a word\ntests 3, passed 3, failed 0, skipped 0, 1.0 s\n'],
    want: { isPassed: true, passed: 3, failed: 0 },
  },
  'a test failed': {
    given: [1, 'tests 3, passed 2, failed 1, skipped 0, 1.0 s\n'],
    want: { isPassed: false, passed: 2, failed: 1 },
  },
  'a skipped test fails the run, though its program ends well': {
    given: [0, 'tests 3, passed 2, failed 0, skipped 1, 1.0 s\n'],
    want: { isPassed: false, passed: 2, failed: 1 },
  },
  'a program that fails beside its tests has failed': {
    given: [1, 'tests 3, passed 3, failed 0, skipped 0, 1.0 s\n'],
    want: { isPassed: false, passed: 3, failed: 1 },
  },
  'a program without tests passes by how it ends': { given: [0, ''], want: { isPassed: true, passed: 0, failed: 0 } },
  'and fails by it': { given: [2, 'error TS2345\n'], want: { isPassed: false, passed: 0, failed: 1 } },
  'several runs are added up': {
    given: [0, 'tests 1, passed 1, failed 0, skipped 0, 1.0 s\ntests 2, passed 1, failed 0, skipped 1, 1.0 s\n'],
    want: { isPassed: false, passed: 2, failed: 1 },
  },
};

for (const [name, { given, want }] of Object.entries(cases)) test(name, () => assert.deepEqual(verdictOf(...given), want));
