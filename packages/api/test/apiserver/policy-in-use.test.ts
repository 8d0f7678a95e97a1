import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { assertRefused, eventually, policyCluster, remove, stored } from './policy-cluster.ts';
import { deletions } from './policy-in-use-cases.ts';
import { anImage, pathOf } from './policy-objects.ts';

describe('what is in use is not deleted', () => {
  for (const [name, { rule, subject, status, words }] of Object.entries(deletions)) {
    test(`${name}: ${words === undefined ? 'accepted' : 'refused'}`, async (t) => {
      const connection = (await policyCluster()).connection();
      await stored(t, subject, status);
      for (const what of ['object', 'collection'] as const) {
        const attempt = remove(connection, pathOf(subject, what));
        if (words === undefined) await attempt;
        else await assertRefused(attempt, rule.split('/')[0]!, words);
      }
    });
  }
});

describe('a namespace with images in use', () => {
  const label = 'pelotech.ot/images-in-use';
  const patch = async (path: string, body: object): Promise<void> => {
    const connection = (await policyCluster()).connection();
    await connection.request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  };

  test('is not deleted while it is labelled so', async () => {
    const cluster = await policyCluster();
    const name = await cluster.namespace();
    const path = `/api/v1/namespaces/${name}`;
    await remove(cluster.connection(), path);
    await patch(path, { metadata: { labels: { [label]: 'true' } } });
    const words = new RegExp(
      `Namespace ${name} holds disk images that virtual machines boot from: delete the machines first; kubectl get vmdi`,
    );
    await assertRefused(remove(cluster.connection(), path), 'terrain-namespace-in-use', words);
    await patch(path, { metadata: { labels: { [label]: null } } });
    await cluster.connection().request({ method: 'DELETE', path });
  });

  test('ends once it is terminating, whatever was in use', async (t) => {
    const cluster = await policyCluster();
    const connection = cluster.connection();
    const name = await cluster.namespace();
    const path = `/api/v1/namespaces/${name}`;
    const image = anImage(undefined, name);
    await stored(t, image, { references: 1, referencedBy: ['team-a/machine'] });
    await connection.request({ method: 'DELETE', path });
    await eventually('the namespace controller deletes the image', async () => {
      const { metadata } = await connection.request<KubeObject>({ method: 'GET', path: pathOf(image) });
      assert.ok(metadata.deletionTimestamp !== undefined);
    });
    await patch(path, { metadata: { labels: { [label]: 'true' } } });
    await remove(connection, path);
    await patch(pathOf(image), { metadata: { finalizers: null } });
    await eventually('the namespace is gone', () => assert.rejects(connection.request({ method: 'GET', path }), { code: 404 }));
  });
});
