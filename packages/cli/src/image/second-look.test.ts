import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage } from '@terrain/api';
import { anImage } from '../testing/image.ts';
import type { Candidate, PrunePlan } from './prune.ts';
import { judgeAgain } from './second-look.ts';

const candidate = (image: VMDiskImage): Candidate => ({ image, why: 'unused', bytes: 1 });
const a = candidate(anImage('a'));
const b = candidate(anImage('b'));
const c = candidate(anImage('c'));
const changed = candidate(anImage('a', { metadata: { resourceVersion: '2' } }));
const again = candidate(anImage('b', { metadata: { uid: 'another' } }));
const used = { image: b.image, kind: 'in use', why: 'used by lab/vm' } as const;

const cases: Record<string, { given: PrunePlan; want: ReturnType<typeof judgeAgain> }> = {
  'one that came in between was not shown': {
    given: { going: [a, b, c], kept: [] },
    want: { going: [a, b], dropped: [] },
  },
  'one that is to stay now is named with the reason': {
    given: { going: [a, c], kept: [used] },
    want: { going: [a], dropped: [{ candidate: b, problem: 'used by lab/vm.' }] },
  },
  'one that is gone is no problem': {
    given: { going: [a], kept: [] },
    want: { going: [a], dropped: [{ candidate: b, isGoneAlready: true }] },
  },
  'one that was made again under the name was not shown': {
    given: { going: [a, again], kept: [] },
    want: { going: [a], dropped: [{ candidate: b, isGoneAlready: true }] },
  },
  'one that changed and may still go is deleted in the version of now': {
    given: { going: [b, changed], kept: [] },
    want: { going: [changed, b], dropped: [] },
  },
};

for (const [sentence, { given, want }] of Object.entries(cases))
  test(`of what was shown to a person, ${sentence}`, () => assert.deepEqual(judgeAgain([a, b], given), want));
