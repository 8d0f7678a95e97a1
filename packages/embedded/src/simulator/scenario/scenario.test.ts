import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stored } from '../objects.ts';
import { defaultDurations, defaultScenario, noDurations, parseScenario, ScenarioError } from './scenario.ts';
import { formatSwitches } from './switches.ts';
import { switchesOf } from './switches-of.ts';

test('an empty file is the default', () => {
  assert.deepEqual(parseScenario(null), defaultScenario);
});

test('a complete file is read', () => {
  const scenario = parseScenario({
    speed: 10,
    durations: { import: '5s' },
    downloadSize: '2Gi',
    parts: ['kubevirt'],
    provisioners: ['mine'],
    node: 'n1',
    rules: [{ match: { namespace: 'vmdi-*', url: '*attacker*' }, sim: 'import:30s;fail:2' }],
  });
  assert.deepEqual(
    { ...scenario, rules: scenario.rules.map(({ switches, ...match }) => [match, formatSwitches(switches)]) },
    {
      speed: 10,
      durations: { ...defaultDurations, import: 5000 },
      downloadBytes: 2 ** 31,
      parts: new Set(['kubevirt']),
      provisioners: ['mine'],
      node: 'n1',
      rules: [[{ namespace: 'vmdi-*', url: '*attacker*' }, 'import:30s;fail:2']],
    },
  );
});

test('instant takes no time, except what the file says', () => {
  assert.deepEqual(parseScenario({ speed: 'instant', durations: { boot: '1s' } }).durations, { ...noDurations, boot: 1000 });
});

test('every problem is named at once', () => {
  const file = {
    sped: 1,
    speed: 'fast',
    durations: { imprt: '1s', import: 'soon' },
    downloadSize: 'big',
    parts: ['cdi', 'ceph'],
    rules: [{ match: { kind: 'x' }, sim: 'htp:404' }],
  };
  assert.throws(
    () => parseScenario(file),
    (error: Error) => {
      assert.ok(error instanceof ScenarioError);
      for (const words of [
        '"sped"',
        'speed must',
        '"imprt"',
        'durations.import must',
        'downloadSize must',
        '"ceph"',
        'rules[0].match has no "kind"',
        'no switch "htp"',
      ])
        assert.ok(error.message.includes(words), `${words} in\n${error.message}`);
      return true;
    },
  );
});

test('a list where a map belongs is told', () => {
  assert.throws(() => parseScenario([]), /the scenario must be a map/);
  assert.throws(() => parseScenario({ rules: {} }), /rules must be a list/);
});

const object = (annotations?: Record<string, string>): Stored => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'lab-1', namespace: 'vmdi-farm', uid: 'u', ...(annotations === undefined ? {} : { annotations }) },
});
const rules = parseScenario({
  rules: [
    { match: { namespace: 'vmdi-*' }, sim: 'import:10s' },
    { match: { name: 'lab-?' }, sim: 'http:500' },
    { match: { url: 'https://*/attacker.qcow2*' }, sim: 'http:404' },
  ],
});

const cases: Record<string, { given: Stored; url: string; want: string }> = {
  'a rule matches by namespace, a question mark is only a question mark': {
    given: object(),
    url: 'https://h/x',
    want: 'import:10s',
  },
  'several rules match': { given: object(), url: 'https://h/attacker.qcow2', want: 'import:10s;http:404' },
  'the address overrides a rule': { given: object(), url: 'https://h/attacker.qcow2?sim=http:503', want: 'import:10s;http:503' },
  'the annotation overrides both': {
    given: object({ 'terrain.dev/sim': 'import:1s' }),
    url: 'https://h/x?sim=import:2s',
    want: 'import:1s',
  },
};
for (const [name, { given, url, want }] of Object.entries(cases))
  test(name, () => assert.equal(formatSwitches(switchesOf(rules, given, url).switches), want));
