import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@terrain/runtime';
import { stringify } from 'yaml';
import { create, policyCluster, stored } from './policy-cluster.ts';
import { anImage, everyKind, pathOf } from './policy-objects.ts';

const finalizersOf = async (path: string): Promise<readonly string[] | undefined> => {
  const { metadata } = await (await policyCluster()).connection().request<KubeObject>({ method: 'GET', path });
  return metadata.finalizers;
};

for (const subject of everyKind()) {
  const ours = subject.apiVersion.replace(/\/.*/, '/cleanup');
  const posted = async (finalizers: readonly string[]) => {
    const body = { ...subject, metadata: { ...subject.metadata, finalizers } };
    return (await create<KubeObject>((await policyCluster()).connection(), pathOf(subject, 'collection'), body)).metadata
      .finalizers;
  };

  describe(`a new ${subject.kind}`, () => {
    test('has our finalizer from its first version on, without a second write', async (t) => {
      const { metadata } = await stored(t, subject);
      const connection = (await policyCluster()).connection();
      const read = await connection.request<KubeObject>({ method: 'GET', path: pathOf(subject) });
      assert.deepEqual(metadata.finalizers, [ours]);
      assert.deepEqual(read.metadata, metadata);
    });
    test('keeps finalizers of others', async () =>
      assert.deepEqual([...((await posted(['example.com/mine'])) ?? [])].sort(), ['example.com/mine', ours].sort()));
    test('does not get ours twice', async () => assert.deepEqual(await posted([ours]), [ours]));
  });
}

test('applying the same manifest again leaves the finalizer in place', async () => {
  const cluster = await policyCluster();
  for (const flags of [[], ['--server-side']]) {
    const subject = anImage();
    for (const label of ['a', 'b']) {
      const manifest = stringify({ ...subject, metadata: { ...subject.metadata, labels: { label } } });
      const { code, stderr } = await cluster.kubectlWithInput(manifest, 'apply', ...flags, '-f', '-');
      assert.equal(code, 0, stderr);
      assert.deepEqual(await finalizersOf(pathOf(subject)), ['pelotech.ot/cleanup']);
    }
    const patch = JSON.stringify({ metadata: { finalizers: null } });
    await cluster.kubectl('patch', 'vmdi', 'image', '--namespace=team-a', '--type=merge', `--patch=${patch}`);
    // Whoever removes it meant to: nothing puts it back on an update.
    assert.equal(await finalizersOf(pathOf(subject)), undefined);
    await cluster.kubectl('delete', 'vmdi', 'image', '--namespace=team-a');
  }
});
