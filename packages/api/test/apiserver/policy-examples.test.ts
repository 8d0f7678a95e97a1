/** The manifests in examples/, as a person applies them: accepted with all policies in force. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { kinds } from '@terrain/api';
import { parseAllDocuments } from 'yaml';
import { policyCluster } from './policy-cluster.ts';
import { pathOf, type Subject, team } from './policy-objects.ts';

const root = join(import.meta.dirname, '../../../..');
const groups = new Set(kinds.map(({ group }) => group));
const files = globSync('examples/**/*.yaml', { cwd: root }).sort();

const manifests = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(root, file), 'utf8'))
    .map((document) => document.toJS() as Subject | null)
    .filter((object) => object !== null && groups.has(object.apiVersion.split('/')[0]!))
    .map((object) => ({ file, object: object! })),
);

/** In the namespace of the suite: those of the examples do not exist here, and no policy looks at their names. */
function placed(object: Subject): Subject {
  const isCluster = kinds.find(({ kind }) => kind === object.kind)?.scope === 'Cluster';
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: isCluster ? metadata : { ...metadata, namespace: team } };
}

describe('every example', () => {
  assert.ok(manifests.length >= 6, `${manifests.length} manifests found`);
  for (const { file, object } of manifests) {
    test(`${file}: ${object.kind} ${object.metadata.name} is accepted`, async () => {
      const connection = (await policyCluster()).connection();
      const body = placed(object);
      const query = { dryRun: 'All' };
      const { warnings } = await connection.exchange({ method: 'POST', path: pathOf(body, 'collection'), query, body });
      const hasUsers = JSON.stringify(object).includes('plain_text_passwd');
      assert.equal(warnings.length > 0, hasUsers, warnings.join('\n'));
    });
  }
});
