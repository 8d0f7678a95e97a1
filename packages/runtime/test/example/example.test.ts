import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { applyManifests, type KubeObject, Resource } from '@terrain/runtime';
import { besides, NodeProcess } from '@terrain/runtime/testing';
import { until } from '../until.ts';
import { type ConfigMap, configMaps, type Mailbox, mailboxes, mailLabel } from './controller.ts';
import { mailboxCrd } from './crd.ts';

const guide = await readFile(new URL('../../../../docs/guides/write-a-controller.md', import.meta.url), 'utf8');
const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text);

test('the guide shows the controller and the program as they are run here', async () => {
  const files = ['./controller.ts', './main.ts'].map((file) => readFile(new URL(file, import.meta.url), 'utf8'));
  const texts = await Promise.all(files);
  assert.deepEqual(blocks, texts);
  const lines = texts[0]!.trimEnd().split('\n').length;
  assert.ok(lines < 100, `the controller of the guide has ${lines} lines; it is to stay below 100`);
});

describe('the controller of the guide, as a program on a real API server', () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await testCluster({ controllerManager: true });
    await applyManifests(cluster.connection(), [mailboxCrd], { fieldManager: 'test' });
  });

  test('waits for settings, serves a mailbox, follows changes, cleans up, and ends when told', async (t) => {
    const namespace = await cluster.namespace();
    const mail = await mkdtemp(join(tmpdir(), 'terrain-mail-'));
    t.after(() => rm(mail, { recursive: true, force: true }));
    const boxes = new Resource<Mailbox>(cluster.connection(), mailboxes);
    const maps = new Resource<ConfigMap>(cluster.connection(), configMaps);
    const events = new Resource<KubeObject & { note?: string }>(cluster.connection(), {
      group: 'events.k8s.io',
      version: 'v1',
      plural: 'events',
      namespaced: true,
    });
    const ada = { name: 'ada', namespace };
    const isSaid = (message: string) => async (): Promise<boolean> => {
      const { metadata, status } = await boxes.get(ada);
      return status?.message === message && status.observedGeneration === metadata.generation;
    };
    const told = async (): Promise<unknown> => (await maps.find({ name: 'ada-mailbox', namespace }))?.data;

    await using program = await NodeProcess.start({
      script: besides(import.meta.url, './main.ts'),
      env: { KUBECONFIG: cluster.kubeconfig, MAIL_DIRECTORY: mail, NAMESPACE: namespace, LEASE: `${namespace}/mailboxes` },
      ready: /"msg":"leading"/,
    });
    await boxes.create({
      apiVersion: 'example.dev/v1',
      kind: 'Mailbox',
      metadata: ada,
      spec: { settings: 'mail', quotaMiB: 10 },
    });
    await until('word of what is missing', isSaid('waiting for the ConfigMap mail to name a domain'));
    const settings = { name: 'mail', namespace, labels: { [mailLabel]: 'settings' } };
    await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: settings, data: { domain: 'one.test' } });
    await until('ready mailbox', isSaid('ready'));
    assert.deepEqual(await told(), { address: 'ada@one.test', quota: '10Mi' });
    assert.equal((await readdir(mail)).length, 1);
    await until('event', async () =>
      (await events.list({ namespace })).items.some(({ note }) => note === 'mail arrives at ada@one.test'),
    );

    await boxes.mergePatch(ada, { spec: { quotaMiB: 20 } });
    await until('new quota', async () => ((await told()) as { quota: string }).quota === '20Mi');
    await maps.delete({ name: 'ada-mailbox', namespace });
    await until('the child again', async () => (await told()) !== undefined);
    await boxes.delete(ada);
    await until('end of the mailbox', async () => (await boxes.find(ada)) === undefined);
    assert.deepEqual(await readdir(mail), []);
    // The garbage collector looks for new kinds every 30 s, and this one is new to it.
    await until('end of its child', async () => (await told()) === undefined, 120_000, 50);
    assert.deepEqual(await program.stop(), { code: 0, signal: null });
    assert.match(program.output, /"msg":"leadership given back"/);
  });
});
