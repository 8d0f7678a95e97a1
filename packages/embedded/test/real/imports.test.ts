import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { contract } from '../contract/contract.ts';
import { realWorld } from './cdi-contract.ts';
import { CdiStand, types } from './cdi-stand.ts';
import { imageSuite } from './image-suite.ts';

const timeout = 600_000;

// The two have nothing to do with each other but the machine, and most of their time is spent waiting.
describe('imports on a real node', { concurrency: true, timeout: 4 * timeout }, () => {
  imageSuite();
  contract('CDI and our storage driver', 3, realWorld);
});

test('when all namespaces are gone, no volume and no snapshot is left on the disk', { timeout }, async () => {
  await using stand = await CdiStand.open();
  const { items } = await stand.resource(types.namespaces).list({});
  const ours = items.flatMap(({ metadata: { name = '' } }) => (/^(imports|contract)-/.test(name) ? [name] : []));
  assert.ok(ours.length > 20, `${ours.length} namespaces`);
  await Promise.all(ours.map((name) => stand.resource(types.namespaces).delete({ name }, {})));
  for (const type of [types.volumes, types.contents]) await stand.untilGone(type, undefined);
  for (const folder of ['volumes', 'snapshots', 'work']) assert.deepEqual(readdirSync(join(stand.volumes, folder)), [], folder);
});
