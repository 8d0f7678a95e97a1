import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from './duration.ts';
import { formatSwitches, parseSwitches, switchDocs, switchTextOf } from './switches.ts';

const durations: Record<string, number | undefined> = {
  '0': 0,
  '250ms': 250,
  '3s': 3000,
  '1m30s': 90_000,
  '1.5s': 1500,
  '2h': 7_200_000,
  '3': undefined,
  '': undefined,
  '3 s': undefined,
  '-1s': undefined,
};
for (const [text, want] of Object.entries(durations))
  test(`the duration "${text}" is ${want} ms`, () => assert.equal(parseDuration(text), want));

const urls: Record<string, { given: string; want: string }> = {
  'one switch': { given: 'https://h/d.qcow2?sim=import:30s', want: 'import:30s' },
  'several in one parameter': { given: 'https://h/d?sim=import:30s;http:404', want: 'import:30s;http:404' },
  'several parameters': { given: 'https://h/d?sim=import:30s&sim=http:404', want: 'import:30s;http:404' },
  'beside parameters of the source': { given: 'https://h/d?version=3&sim=cut', want: 'cut' },
  'a registry': { given: 'docker://registry.example.com/disks/lab:1?sim=stuck', want: 'stuck' },
  none: { given: 'https://h/d', want: '' },
  'no address at all': { given: '', want: '' },
};
for (const [name, { given, want }] of Object.entries(urls))
  test(`switches in an address: ${name}`, () => assert.equal(switchTextOf(given), want));

test('switches are read and written back', () => {
  const { switches, problems } = parseSwitches(' import:30s; fail:2 ;;cut');
  assert.deepEqual(problems, []);
  assert.equal(formatSwitches(switches), 'import:30s;fail:2;cut');
});

const wrong: Record<string, { given: string; want: RegExp }> = {
  'a name nobody knows': { given: 'htp:404', want: /^There is no switch "htp"; there are import, slow, / },
  'a duration that is none': {
    given: 'import:soon',
    want: /^The switch "import:soon" is wrong: import takes a value \(duration\)/,
  },
  'a missing value': { given: 'http', want: /http takes a value \(count\)/ },
  'a value where none belongs': { given: 'stuck:3', want: /stuck takes nothing after the colon/ },
  'an inherited property': { given: 'constructor', want: /There is no switch "constructor"/ },
};
for (const [name, { given, want }] of Object.entries(wrong))
  test(`${name} is told and left out`, () => {
    const { switches, problems } = parseSwitches(`${given};cut`);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', want);
    assert.deepEqual([...switches.keys()], ['cut']);
  });

test('every switch can be read with an example of its value', () => {
  const examples = {
    none: '',
    duration: ':3s',
    count: ':2',
    percent: ':42',
    size: ':1Gi',
    text: ':x',
    'optional count': '',
    'optional duration': '',
    'optional text': '',
  };
  for (const [name, { takes }] of Object.entries(switchDocs))
    assert.deepEqual(parseSwitches(`${name}${examples[takes]}`).problems, []);
});
