import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownQuantity } from './quantity.ts';

const cases: Record<string, [string | number, string]> = {
  'a whole number of larger units is told in those': ['2048Mi', '2Gi'],
  'the largest unit that leaves no rest': ['1536Mi', '1536Mi'],
  'what is short already': ['256Mi', '256Mi'],
  'whole processors in thousandths': ['2000m', '2'],
  'a part of a processor': ['384m', '384m'],
  'a plain number': [2, '2'],
  'no quantity at all': ['much', 'much'],
};
for (const [name, [given, want]] of Object.entries(cases)) test(name, () => assert.equal(shownQuantity(given), want));
