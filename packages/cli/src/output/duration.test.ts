import assert from 'node:assert/strict';
import { test } from 'node:test';
import { humanDuration, parseDuration, shortAge } from './duration.ts';

test('durations read as people say them', () => {
  const shown = [0, 850.4, 3200, 59_949, 59_950, 65_000, 3_599_600, 7_800_000].map(humanDuration);
  assert.deepEqual(shown, ['0 ms', '850 ms', '3.2 s', '59.9 s', '1m 00s', '1m 05s', '1h 00m', '2h 10m']);
});

test('durations are read as Kubernetes writes them, anything else is refused', () => {
  assert.deepEqual(['90s', '10m', '1h30m', '250ms'].map(parseDuration), [90_000, 600_000, 5_400_000, 250]);
  assert.deepEqual(['', '10', '-1s', '1d', '1.5h', 'm'].map(parseDuration), Array(6).fill(undefined));
});

test('ages are shown in their largest unit, and a clock that runs ahead gives no negative one', () => {
  const shown = [-5000, 0, 119_999, 120_000, 7_199_000, 7_200_000, 172_799_000, 172_800_000].map(shortAge);
  assert.deepEqual(shown, ['0s', '0s', '119s', '2m', '119m', '2h', '47h', '2d']);
});
