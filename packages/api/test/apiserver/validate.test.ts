/** validateManifest against the API server: what is told offline must be true, and nothing but rules may be left untold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KindDefinition, kinds, validateManifest } from '@terrain/api';
import { ApiError, type KubeObject, type StatusCause } from '@terrain/runtime';
import fc from 'fast-check';
import { subjects } from './crd-cases.ts';
import { crdCluster, pathOf, placed } from './crd-cluster.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const hostileValues: readonly Json[] = [
  ...[null, true, 0, -1, 1.5, 70_000, '', 'x', '-', 'A', 'a.b', ' ', 'é'.repeat(64), 'x'.repeat(3000), '24Gi', '0', '24GB', '-1'],
  ...[
    '1e3',
    '.5',
    '0h',
    '2d',
    '90s',
    '10.0.0.1',
    '10.0.0.1/24',
    '10.0.0.01/24',
    '::1',
    '::ffff:10.0.0.1',
    'http',
    'team',
    'Running',
  ],
  ...[[], {}, ['x'], ['x', 'x'], { x: 1 }],
];

/** Every place in a value, as a list of keys; the deepest ones are as likely as the others. */
function placesOf(value: Json, at: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (value === null || typeof value !== 'object') return [at];
  const entries: [string | number, Json][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...entries.flatMap(([key, child]) => placesOf(child, [...at, key]))];
}

type Change = { kind: 'replace'; value: Json } | { kind: 'remove' } | { kind: 'add'; name: string } | { kind: 'repeat' };

/** The value with one change at one place. Changes that do not fit the place leave it as it is. */
function changed(value: Json, place: readonly (string | number)[], change: Change): Json {
  const copy = structuredClone(value);
  const parent = place
    .slice(0, -1)
    .reduce<Json>((node, key) => (node as Record<string | number, Json> | null)?.[key] ?? null, copy);
  const key = place.at(-1);
  if (key === undefined || parent === null || typeof parent !== 'object') return copy;
  const holder = parent as Record<string | number, Json>;
  if (change.kind === 'replace') holder[key] = change.value;
  else if (change.kind === 'remove') Array.isArray(parent) ? parent.splice(Number(key), 1) : delete holder[key];
  else if (change.kind === 'repeat') Array.isArray(parent) && parent.push(structuredClone(parent[Number(key)] ?? null));
  else if (!Array.isArray(parent)) holder[change.name] = 'x';
  return copy;
}

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...hostileValues).map((value): Change => ({ kind: 'replace', value })) },
  fc.constant<Change>({ kind: 'remove' }),
  fc.constant<Change>({ kind: 'repeat' }),
  fc.constantFrom('extra', 'Url').map((name): Change => ({ kind: 'add', name })),
);

const anyManifest: fc.Arbitrary<KubeObject> = fc.constantFrom(...subjects.map(({ good }) => good)).chain((good) => {
  const { spec } = good as unknown as { spec: Json };
  const edits = fc.array(fc.tuple(fc.constantFrom(...placesOf(spec)), anyChange), { minLength: 1, maxLength: 2 });
  return edits.map(
    (list) => ({ ...good, spec: list.reduce((value, [place, change]) => changed(value, place, change), spec) }) as KubeObject,
  );
});

const definitionOf = (kind: string | undefined): KindDefinition =>
  kinds.find((known) => known.kind === kind) ?? assert.fail(`${kind} is no kind of ours`);

/** Ends of the sentences of all rules: a computed message shares its end with the fixed one. */
const ruleEnds = (kind: string | undefined): string[] =>
  [...JSON.stringify([definitionOf(kind).spec, definitionOf(kind).rules]).matchAll(/"message":"([^"]*)"/g)].map(
    ([, message = '']) => message.split('; ').at(-1) ?? message,
  );

const isRule = (cause: StatusCause, ends: readonly string[]): boolean =>
  ends.some((end) => cause.message?.endsWith(end) === true);

async function refusalOf(manifest: KubeObject): Promise<ApiError | undefined> {
  const { connection, namespace } = await crdCluster();
  // Other suites of this process keep objects of the same names.
  const body = placed({ ...manifest, metadata: { ...manifest.metadata, name: `offline-${manifest.metadata.name}` } }, namespace);
  const query = { dryRun: 'All', fieldValidation: 'Strict' };
  try {
    await connection.request({ method: 'POST', path: pathOf(body, 'collection'), query, body });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 422 || error.code === 400)) return error;
    throw error;
  }
}

test('what is told offline is refused by the API server, and what it refuses beyond rules is told offline', async () => {
  await fc.assert(
    fc.asyncProperty(anyManifest, async (manifest) => {
      const problems = validateManifest(manifest);
      const refusal = await refusalOf(manifest);
      if (problems.length > 0) assert.ok(refusal !== undefined, `accepted by the API server, but told: ${problems[0]?.message}`);
      const ends = ruleEnds(manifest.kind);
      const isRulesOnly = refusal?.causes.length !== 0 && refusal?.causes.every((cause) => isRule(cause, ends)) === true;
      const untold = refusal !== undefined && problems.length === 0 && !isRulesOnly;
      assert.ok(!untold, `refused by the API server, but not told: ${refusal?.message}`);
    }),
    { numRuns: 500 },
  );
});
