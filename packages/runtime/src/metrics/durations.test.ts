import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Durations } from './durations.ts';
import { Histogram, Registry } from './prom-client.ts';

const buckets = [0.005, 0.1, 1, 10];
const about = { name: 'took_seconds', help: 'How long it took.', buckets };

test('durations are shown to the letter as a histogram of prom-client shows them', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const durations = new Durations({ ...about, label: 'verb', registry: ours });
  const histogram = new Histogram({ ...about, labelNames: ['verb'], registers: [theirs] });
  for (const [verb, ms] of [
    ['GET', 5],
    ['GET', 5.1],
    ['PATCH "x"', 1000],
    ['GET', 0],
    ['GET', 60_000],
  ] as const) {
    durations.of(verb).add(ms);
    histogram.observe({ verb }, ms / 1000);
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
  assert.match(await ours.metrics(), /took_seconds_bucket\{le="0\.005",verb="GET"\} 2\n/);
});

test('before anything was measured there is a name and no series', async () => {
  const registry = new Registry();
  new Durations({ ...about, label: 'verb', registry });
  assert.equal(await registry.metrics(), '# HELP took_seconds How long it took.\n# TYPE took_seconds histogram\n');
});

test('two metrics of one name are refused', () => {
  const registry = new Registry();
  new Durations({ ...about, label: 'verb', registry });
  assert.throws(() => new Durations({ ...about, label: 'verb', registry }), /already been registered/);
});
