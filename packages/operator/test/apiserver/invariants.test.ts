import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLedger, formatLedger, type LedgerEntry, ledgerName, type VMDiskImage } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';
import { type ObservedEvent, World } from '@terrain/runtime/testing';
import { invariants } from './invariants.ts';
import { namespaceOfOperator } from './platform.ts';
import { types } from './types.ts';

const follows = 'S2 admissions follow the queue';
const order = invariants()[follows];

/** Waits for a slot since this second, and was stored before any ledger. */
const waiting = (name: string, second: number): VMDiskImage =>
  aVMDiskImage({
    metadata: { name, namespace: 'ns', uid: name, generation: 1, resourceVersion: '5' },
    status: {
      observedGeneration: 1,
      queuedAt: `2026-01-01T00:00:0${second}Z`,
      ticket: '1',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Queued', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  });

const entry = (name: string, seq: number): [string, LedgerEntry] => [
  name,
  { image: `ns/${name}`, attempt: 1, seq, since: '2026-01-01T00:01:00Z', state: 'open' },
];

const aLedger = (resourceVersion: string, ...admitted: readonly string[]): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: ledgerName, namespace: namespaceOfOperator, resourceVersion },
    data: formatLedger({
      ...emptyLedger,
      limit: 4,
      seq: admitted.length,
      entries: new Map(admitted.map((name, index) => entry(name, index + 1))),
    }),
  }) as KubeObject;

/** Says what is wrong with one write of the ledger that admits these images, in this order, of first, second and third. */
function judged(...admitted: readonly string[]): string | undefined {
  const world = new World();
  for (const image of [waiting('third', 3), waiting('first', 1), waiting('second', 2)])
    world.change(types.images, image as unknown as KubeObject, false);
  const event: ObservedEvent = {
    type: 'MODIFIED',
    resource: types.configMaps,
    object: aLedger('20', ...admitted),
    previous: aLedger('10'),
    revision: 20n,
  };
  return order?.(world, event);
}

const cases: Record<string, { given: readonly string[]; want: string | undefined }> = {
  'all of them, as they stand': { given: ['first', 'second', 'third'], want: undefined },
  'the first of them': { given: ['first'], want: undefined },
  'one that is not the first': { given: ['second'], want: 'second was admitted while first stood before it' },
  'the right ones, with numbers the other way round': {
    given: ['second', 'first'],
    want: 'one write admitted second before first, which stood before it',
  },
  'two in the middle the other way round': {
    given: ['first', 'third', 'second'],
    want: 'one write admitted third before second, which stood before it',
  },
};
for (const [name, { given, want }] of Object.entries(cases))
  test(`the order of admissions is judged: ${name}`, () => assert.equal(judged(...given), want));
