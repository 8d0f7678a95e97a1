import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkQueue } from '#queue/work-queue.ts';
import { FakeClock } from '#testing/index.ts';
import { RuntimeMetrics } from './runtime-metrics.ts';

async function shown(metrics: RuntimeMetrics): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'));
}
const includes = (lines: readonly string[], wanted: readonly string[]): void => {
  for (const line of wanted) assert.ok(lines.includes(line), `${line} is not among\n${lines.join('\n')}`);
};

test('passes are counted by outcome, errors apart, with their time', async () => {
  const metrics = new RuntimeMetrics();
  const observer = metrics.controller('c', 3);
  observer.passEnded?.('success', 500);
  for (const outcome of ['error', 'terminal', 'conflict', 'requeue_after'] as const) observer.passEnded?.(outcome, 250);
  includes(await shown(metrics), [
    'controller_runtime_reconcile_total{controller="c",result="success"} 1',
    'controller_runtime_reconcile_total{controller="c",result="error"} 1',
    'controller_runtime_reconcile_total{controller="c",result="terminal"} 1',
    'controller_runtime_reconcile_total{controller="c",result="conflict"} 1',
    'controller_runtime_reconcile_total{controller="c",result="requeue_after"} 1',
    'controller_runtime_reconcile_errors_total{controller="c"} 2',
    'controller_runtime_terminal_reconcile_errors_total{controller="c"} 1',
    'controller_runtime_reconcile_time_seconds_sum{controller="c"} 1.5',
    'controller_runtime_max_concurrent_reconciles{controller="c"} 3',
    'workqueue_retries_total{name="c"} 2',
  ]);
});

test('a queue is measured when somebody looks', async () => {
  const clock = new FakeClock();
  const metrics = new RuntimeMetrics();
  const observer = metrics.controller('c', 1).queue;
  const queue = new WorkQueue({ clock, ...(observer === undefined ? {} : { observer }) });
  metrics.watchQueue({ name: 'c', queue, heldBack: 7 });
  queue.add('a');
  queue.add('b');
  queue.addAfter('later', 1000);
  await clock.advance(100);
  assert.equal(await queue.take(), 'a');
  await clock.advance(400);
  includes(await shown(metrics), [
    'workqueue_depth{name="c"} 1',
    'workqueue_adds_total{name="c"} 2',
    'controller_runtime_active_workers{controller="c"} 1',
    'workqueue_queue_duration_seconds_sum{name="c"} 0.1',
    'workqueue_unfinished_work_seconds{name="c"} 0.4',
    'workqueue_longest_running_processor_seconds{name="c"} 0.4',
    'terrain_runtime_delayed_keys{name="c"} 1',
    'terrain_runtime_held_back_keys{name="c"} 7',
  ]);
  queue.done('a');
  includes(await shown(metrics), [
    'workqueue_work_duration_seconds_sum{name="c"} 0.4',
    'workqueue_unfinished_work_seconds{name="c"} 0',
  ]);
  queue.close();
});

test('requests are counted by code and method, never by path', async () => {
  const metrics = new RuntimeMetrics();
  const { requestEnded } = metrics.transport;
  requestEnded?.({ method: 'GET', path: '/a' }, 200, 10);
  requestEnded?.({ method: 'GET', path: '/b', query: { watch: true } }, 200, 10);
  requestEnded?.({ method: 'POST', path: '/c' }, 409, 10);
  requestEnded?.({ method: 'POST', path: '/c' }, undefined, 10);
  metrics.leading('op', true);
  metrics.eventDropped();
  const lines = await shown(metrics);
  includes(lines, [
    'rest_client_requests_total{code="200",method="GET"} 2',
    'rest_client_requests_total{code="409",method="POST"} 1',
    'rest_client_requests_total{code="<error>",method="POST"} 1',
    'rest_client_request_duration_seconds_count{verb="WATCH"} 1',
    'rest_client_request_duration_seconds_count{verb="GET"} 1',
    'leader_election_master_status{name="op"} 1',
    'terrain_runtime_events_dropped_total 1',
  ]);
  assert.ok(!lines.some((line) => line.includes('/a')));
});
