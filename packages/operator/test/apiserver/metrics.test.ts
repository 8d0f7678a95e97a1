import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Operator } from '@terrain/operator';
import { parse } from 'yaml';
import { metricsOf } from './promql.ts';
import { Stage } from './stage.ts';

const monitoring = join(import.meta.dirname, '../../../../deploy/monitoring');
const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/monitoring.md'), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { groups } = parse(readFileSync(join(monitoring, 'alerts.yaml'), 'utf8')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync(join(monitoring, 'disk-images.dashboard.json'), 'utf8')) as { panels: Panel[] };
const queries = [
  ...rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))),
];

/** What a Prometheus would store: values by series, and the labels each metric has. */
class Scrape {
  readonly values = new Map<string, number>();
  /** Undefined for a metric that has no series yet, so that nobody can tell. */
  readonly #labels = new Map<string, Set<string> | undefined>();

  static async of({ manager }: Operator): Promise<Scrape> {
    const answer = await fetch(`http://127.0.0.1:${manager.healthPort}/metrics`);
    assert.equal(answer.status, 200);
    return new Scrape(await answer.text());
  }

  constructor(text: string) {
    for (const line of text.split('\n')) {
      const [, type] = /^# TYPE (\S+) /.exec(line) ?? [];
      if (type !== undefined) this.#labels.set(type, undefined);
      const [, series = '', name = '', inner = '', value] = /^((\w+)(?:\{(.*)\})?) (\S+)$/.exec(line) ?? [];
      if (value === undefined) continue;
      this.values.set(series, Number(value));
      const labels = this.#labels.get(name) ?? new Set();
      for (const [, label = ''] of inner.matchAll(/(\w+)="/g)) labels.add(label);
      this.#labels.set(name, labels);
    }
  }

  has(metric: string): boolean {
    return this.#labels.has(metric);
  }

  hasLabel(metric: string, label: string): boolean {
    return this.#labels.get(metric)?.has(label) ?? true;
  }

  get metrics(): string[] {
    return [...this.#labels.keys()];
  }
}

test('a small drain is told by the metrics, and every panel and alert asks for metrics that exist', async () => {
  await using stage = await Stage.open({ policy: { concurrency: '2', retryLimit: '3', retryBackoffMax: 'soon', colour: 'red' } });
  const operator = await stage.startOperator({ health: { port: 0 } });
  for (const name of ['one', 'two', 'three']) await stage.createImage(name);
  await stage.createImage('missing', { sim: 'http:404' });
  for (const name of ['one', 'two', 'three']) await stage.phase(name, 'Succeeded');
  await stage.phase('missing', 'Failed');
  await stage.until('free slots', () => stage.ledger().entries.size === 0);
  const scrape = await Scrape.of(operator);

  assertValues(stage, scrape);
  const dead = queries.flatMap(({ where, expr }) =>
    metricsOf(expr).flatMap(({ name, labels }) => {
      if (!scrape.has(name)) return [`${where}: ${name} is not exposed`];
      return labels.filter((label) => !scrape.hasLabel(name, label)).map((label) => `${where}: ${name} has no label ${label}`);
    }),
  );
  assert.deepEqual(dead, []);
  const ours = scrape.metrics.filter((name) => /^terrain_(sync|images)/.test(name) && !/_(bucket|sum|count)$/.test(name));
  assert.ok(ours.length > 10);
  const untold = ours.filter((name) => !guide.includes(`\`${name}\``));
  assert.deepEqual(untold, [], 'not in docs/guides/monitoring.md');
});

function assertValues(stage: Stage, { values }: Scrape): void {
  const wanted: Record<string, number> = {
    'terrain_sync_attempts_total{result="succeeded",reason="Succeeded"}': 3,
    'terrain_sync_attempts_total{result="gave_up",reason="SourceNotFound"}': 1,
    'terrain_sync_retries_avoided_total{reason="SourceNotFound"}': 3,
    'terrain_sync_duration_seconds_count{result="succeeded"}': 3,
    terrain_sync_wait_seconds_count: 4,
    terrain_sync_queue_depth: 0,
    terrain_sync_queue_oldest_seconds: 0,
    terrain_sync_slots_limit: 2,
    terrain_sync_slots_active: 0,
    terrain_sync_slots_closing: 0,
    terrain_sync_slots_oldest_seconds: 0,
    terrain_sync_ledger_usable: 1,
    'terrain_sync_policy_problems{kind="invalid"}': 1,
    'terrain_sync_policy_problems{kind="unknown"}': 1,
    'terrain_images{phase="Succeeded"}': 3,
    'terrain_images{phase="Failed"}': 1,
    'terrain_images{phase="Syncing"}': 0,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((series) => [series, values.get(series)])), wanted);
  const restored = stage.images().map(({ status }) => Number(status?.artifact?.restoreSize ?? 0));
  assert.equal(
    values.get('terrain_sync_disk_bytes_total'),
    restored.reduce((sum, bytes) => sum + bytes, 0),
  );
  assert.ok((values.get('terrain_sync_ledger_writes_total{result="written"}') ?? 0) >= 2);
}

test('every alert says what happens, what to do, and has its place in the guide', () => {
  for (const { alert, expr, labels, annotations } of rules) {
    assert.ok(metricsOf(expr).length > 0, alert);
    assert.match(labels.severity ?? '', /^(critical|warning|info)$/, alert);
    assert.match(annotations.summary ?? '', /\S{2}/, alert);
    assert.match(annotations.description ?? '', /\.$/, alert);
    assert.ok(guide.includes(`\`${alert}\``), `${alert} is not in docs/guides/monitoring.md`);
  }
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
});

test('metrics and labels are found in an expression', () => {
  assert.deepEqual(
    metricsOf('histogram_quantile(0.5, sum by (le) (rate(a_bucket{result="x y",b!~"c|d"}[1h]))) > 4 * 3600 and max(e) == 0'),
    [
      { name: 'a_bucket', labels: ['result', 'b', 'le'] },
      { name: 'e', labels: [] },
    ],
  );
  assert.deepEqual(metricsOf('sum by (kind) (increase(w[$__rate_interval])) * 60'), [{ name: 'w', labels: ['kind'] }]);
});
