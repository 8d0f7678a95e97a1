import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parse } from 'yaml';
import { defaultDurations, parseScenario } from './scenario.ts';
import { switchDocs } from './switches.ts';

const guide = await readFile(new URL('../../../../../docs/guides/simulator.md', import.meta.url), 'utf8');

test('the guide lists every switch, and no other', () => {
  const rows = [...guide.matchAll(/^\| `([a-z0-9-]+)[^|]*\| (import|snapshot|machine) \|/gm)].map(([, name, about]) => [
    name,
    about,
  ]);
  const known = Object.entries(switchDocs).map(([name, { about }]) => [name, about]);
  assert.deepEqual(rows.toSorted(), known.toSorted());
});

test('the scenario in the guide can be read, and names every duration with its default', () => {
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  const scenario = parseScenario(parse(text));
  assert.deepEqual([scenario.speed, scenario.rules.length], [10, 1]);
  for (const [name, ms] of Object.entries(defaultDurations)) {
    const row = new RegExp(`^  ${name}: .*\\[(\\d+)(ms|s)\\]`, 'm').exec(text);
    assert.equal(row === null ? undefined : Number(row[1]) * (row[2] === 's' ? 1000 : 1), ms, name);
  }
});
