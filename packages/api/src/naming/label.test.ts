import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childName, isDnsLabel, labelValue, toLabel, toObjectName } from './label.ts';

const kubernetesLabelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const rfc1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Texts that try to meet: few letters, dashes everywhere, shared prefixes around the length limits, illegal characters. */
const hostileText = fc
  .array(fc.constantFrom('a', 'b', '-', '-', 'a-b', '0', 'A', '.', '_', ' ', 'x'.repeat(22), 'x'.repeat(44), 'é'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((pieces) => pieces.join(''));
const anyText = fc.oneof(hostileText, fc.string({ unit: 'binary', maxLength: 300 }));

/** Names of all inputs, failing with both inputs when two of them share a name. */
function assertDistinct<T>(inputs: Iterable<T>, nameOf: (input: T) => string, seed: number): Map<string, string> {
  const seen = new Map<string, string>();
  for (const input of inputs) {
    const name = nameOf(input);
    const key = JSON.stringify(input);
    const other = seen.get(name) ?? key;
    assert.equal(other, key, `${other} and ${key} are both named ${name} (seed ${seed})`);
    seen.set(name, key);
  }
  return seen;
}

const children: Record<string, { given: [string, string, ...string[]]; want: string | RegExp }> = {
  'is base and suffix': { given: ['demo-vm', 'root'], want: 'demo-vm-root' },
  'keeps a base with dashes when the suffix has none': { given: ['a-b', 'c'], want: 'a-b-c' },
  'is hashed when the suffix has a dash, which the last case would equal': { given: ['a', 'b-c'], want: /^a-b-c-0[a-z2-7]{16}$/ },
  'is hashed when there are two suffixes, for the same reason': { given: ['a', 'b', 'c'], want: /^a-b-c-0[a-z2-7]{16}$/ },
  'shortens the base and keeps the suffix': { given: ['x'.repeat(70), 'root'], want: /^x{40}-0[a-z2-7]{16}-root$/ },
  'fills 63 characters before it shortens': { given: ['x'.repeat(58), 'root'], want: `${'x'.repeat(58)}-root` },
  'does not end in a dash where it was cut': {
    given: [`${'x'.repeat(39)}--y`.padEnd(70, 'y'), 'root'],
    want: /^x{39}-0[a-z2-7]{16}-root$/,
  },
  'makes dots, capitals and spaces legal': { given: ['Lab.One 2', 'home'], want: /^lab-one-2-0[a-z2-7]{16}-home$/ },
  'stands for an empty base': { given: ['', 'home'], want: /^x-0[a-z2-7]{16}-home$/ },
};
for (const [name, { given, want }] of Object.entries(children)) {
  test(`childName ${name}`, () => {
    const got = childName(...given);
    if (typeof want === 'string') assert.equal(got, want);
    else assert.match(got, want);
  });
}

test('the hash of a name is part of what is stored in clusters and never changes', () => {
  assert.equal(childName('a', 'b-c'), 'a-b-c-0cvnzvo3ffadug3mx');
  assert.equal(toLabel('demo.vm'), 'demo-vm-0xhetwfsxz6nzquf7');
});

test('childName is always a DNS label of at most 63 characters', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.array(anyText, { maxLength: 2 }), (base, suffix, more) => {
      const name = childName(base, suffix, ...more);
      assert.ok(isDnsLabel(name), name);
      assert.equal(childName(base, suffix, ...more), name);
    }),
    { numRuns: 2000 },
  );
});

test('childName gives 100,000 hostile inputs, and inputs forged from their names, different names', () => {
  const seed = Date.now();
  const tuple = fc.tuple(hostileText, hostileText, fc.array(hostileText, { maxLength: 1 }));
  const inputs = fc
    .sample(tuple, { numRuns: 40_000, seed })
    .map(([base, suffix, more]): [string, string, ...string[]] => [base, suffix, ...more]);
  const names = assertDistinct(inputs, (input) => childName(...input), seed);
  // Whoever knows a shortened name may try to be given it: cut it at each of its dashes and ask for the halves.
  const forged = [...names.keys()].flatMap((name) =>
    [...name.matchAll(/-/g)].map(({ index }): [string, string] => [name.slice(0, index), name.slice(index + 1)]),
  );
  assert.ok(inputs.length + forged.length >= 100_000);
  assertDistinct([...inputs, ...forged], (input) => childName(...input), seed);
});

test('toLabel and toObjectName give hostile texts, and the names of others, different names', () => {
  const seed = Date.now();
  const texts = fc.sample(hostileText, { numRuns: 20_000, seed });
  for (const nameOf of [(text: string) => toLabel(text), toObjectName]) {
    const names = [...assertDistinct(texts, nameOf, seed).keys()];
    assertDistinct([...texts, ...names.filter((name) => /-0[a-z2-7]{16}$/.test(name))], nameOf, seed);
  }
});

test('toLabel keeps every legal text it is given, unless that ends like a hash', () => {
  assert.equal(toLabel('a'), 'a');
  assert.equal(toLabel('9-lives'), '9-lives');
  assert.equal(toLabel('x'.repeat(63)), 'x'.repeat(63));
  assert.notEqual(toLabel('a-0aaaaaaaaaaaaaaaa'), 'a-0aaaaaaaaaaaaaaaa');
});

test('toLabel keeps within a shorter limit and can begin with a letter', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 24, max: 63 }), (text, max) => {
      const label = toLabel(text, { max, letterFirst: true });
      assert.match(label, rfc1035);
      assert.ok(label.length <= max, label);
    }),
    { numRuns: 2000 },
  );
});

const values: Record<string, { given: string; want: string | RegExp }> = {
  'keeps what is legal': { given: 'ubuntu_2004_lts_en-us_x64', want: 'ubuntu_2004_lts_en-us_x64' },
  'keeps capitals and dots': { given: 'V2.1.0', want: 'V2.1.0' },
  'keeps the empty value': { given: '', want: '' },
  'makes a space legal': { given: 'demo user', want: /^demo_user-0[a-z2-7]{16}$/ },
  'drops what may not stand at an end': { given: '-_x_-', want: /^x-0[a-z2-7]{16}$/ },
  'stands for a text without a legal character': { given: '???', want: /^x-0[a-z2-7]{16}$/ },
  shortens: { given: 'y'.repeat(64), want: /^y{45}-0[a-z2-7]{16}$/ },
};
for (const [name, { given, want }] of Object.entries(values)) {
  test(`labelValue ${name}`, () => {
    const got = labelValue(given);
    if (typeof want === 'string') assert.equal(got, want);
    else assert.match(got, want);
  });
}

test('labelValue is always legal, and different for different texts', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const value = labelValue(text);
      assert.match(value, kubernetesLabelValue);
      assert.ok(value.length <= 63);
      assert.equal(labelValue(value) === value, !/-0[a-z2-7]{16}$/.test(value));
    }),
    { numRuns: 2000 },
  );
  const seed = Date.now();
  assertDistinct(fc.sample(hostileText, { numRuns: 20_000, seed }), labelValue, seed);
});
