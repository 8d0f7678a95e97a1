import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutFirst, allOf, inForce, orEmpty, quoted, quotedList } from './cel.ts';

const cases: Record<string, { got: string; want: string }> = {
  'a text with a quote and a backslash': { got: quoted("it's \\d"), want: "'it\\'s \\\\d'" },
  'a list of texts': { got: quotedList(['a', "b'"]), want: "['a', 'b\\'']" },
  'conditions without those that always hold': { got: allOf('true', 'a', 'true', 'b'), want: 'a && b' },
  'an optional field': { got: orEmpty('v', 'url'), want: "(has(v.url) ? v.url : '')" },
  'a value of the sync policy': {
    got: inForce('policy.a', 'b'),
    want: "(has(params.data) && 'policy.a' in params.data && params.data['policy.a'] != '' ? params.data['policy.a'] : 'b')",
  },
  'a sentence about the first of a list': {
    got: aboutFirst('l', (first) => `${first}.name`),
    want: "l.size() == 0 ? '' : l[0].name + (l.size() == 1 ? '' : ' (and ' + string(l.size() - 1) + ' more)')",
  },
};

for (const [name, { got, want }] of Object.entries(cases)) test(name, () => assert.equal(got, want));
