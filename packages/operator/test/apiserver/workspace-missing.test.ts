import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workspace, WorkspaceSpec } from '@terrain/api';
import type { KubeObject, ResourceType } from '@terrain/runtime';
import { namespaceOfOperator } from './platform.ts';
import { type Thing, types } from './types.ts';
import { conditionOf, lab, WorkspaceWorld } from './workspace-world.ts';

const storageClasses: ResourceType = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', namespaced: false };

/** A lab with one machine, whose image comes from a source that needs something. */
const withSource = (name: string, source: object): WorkspaceSpec => {
  const url = `https://images.example.com/${name}.qcow2`;
  const vmDiskImageTemplate = { url, sourceType: 'http' as const, diskSize: '1Gi', ...source };
  return { vms: [{ ...lab.vms![0]!, interfaces: [], backingVMDiskImage: name, vmDiskImageTemplate }] };
};
const messageOf = (found: Workspace, kind: string): string =>
  found.status?.components?.find((component) => component.kind === kind)?.message ?? '';

test('what a workspace needs and does not find', { concurrency: true }, async (t) => {
  await using world = await WorkspaceWorld.open({ policy: { imageUrlTemplate: '' } });
  const { stage } = world;
  const made: [ResourceType, KubeObject][] = [];
  const make = async (type: ResourceType, object: KubeObject): Promise<void> => {
    made.push([type, object]);
    await stage.resource<KubeObject>(type).create(object);
  };
  const cases: Promise<void>[] = [];
  const on = (name: string, work: () => Promise<void>): void => void cases.push(t.test(name, work));
  const secret = (name: string, namespace: string, rest: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    ...rest,
  });

  on('a pull secret is told at once, and handed on when it is there', async () => {
    const containerClusters = lab.containerClusters!;
    await world.create('guarded', { containerClusters: [{ ...containerClusters[0]!, interfaces: [] }], imagePullSecrets });
    const words = `pull secret team-registry does not exist in namespace ${namespaceOfOperator}; create it there, or remove it from imagePullSecrets`;
    const ready = await world.phase('guarded', 'Ready');
    assert.equal(messageOf(ready, 'ContainerCluster'), `runs, although ${words}`);
    const dockerconfigjson = Buffer.from('{"auths":{}}').toString('base64');
    await make(
      types.secrets,
      secret('team-registry', namespaceOfOperator, {
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': dockerconfigjson },
      }),
    );
    await world.settled('guarded', 'have its pull secret', (found) => messageOf(found, 'ContainerCluster') === 'runs');
    await world.until('the copy', () =>
      world.children('guarded', types.secrets).some(({ data }) => data?.['.dockerconfigjson'] === dockerconfigjson),
    );
  });

  on('containers that cannot be pulled for want of a pull secret say so', async () => {
    world.brokenImages.add('private:1');
    const containers = [{ name: 'nginx', image: 'private:1' }];
    await world.create('private', { containerClusters: [{ name: 'web', containers }], imagePullSecrets: [{ name: 'lost' }] });
    const failed = await world.phase('private', 'Failed');
    assert.equal(conditionOf(failed, 'Ready')?.reason, 'PullSecretMissing');
    assert.match(failed.status?.message ?? '', /ImagePullBackOff \(image .*\); pull secret lost does not exist in namespace/);
  });

  on('a StorageClass of a volume', async () => {
    const volumes = [{ name: 'data', size: '1Gi', storageClass: 'tape' }];
    await world.create('classless', { volumes });
    const failed = await world.phase('classless', 'Failed');
    assert.equal(
      messageOf(failed, 'Volume'),
      'StorageClass tape of claim data-volume does not exist; create it, or set another storageClass',
    );
    const { provisioner } = (await stage.resource<Thing & { provisioner: string }>(storageClasses).get({ name: 'gp3' })) ?? {};
    // Nothing happens to the claim then: the class itself has to wake the workspace.
    const volumeBindingMode = 'WaitForFirstConsumer';
    const metadata = { name: 'tape' };
    const tape = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner, volumeBindingMode };
    await make(storageClasses, tape as KubeObject);
    await world.phase('classless', 'Ready');
  });

  on('a Secret of an image', async () => {
    await world.create('unkeyed', withSource('unkeyed', { secretRef: 'bucket-key' }));
    const failed = await world.phase('unkeyed', 'Failed');
    assert.equal(conditionOf(failed, 'DiskImagesReady')?.reason, 'DiskImagesBlocked');
    assert.match(messageOf(failed, 'VMDiskImage'), /vmdi-farm\/unkeyed waits: Secret bucket-key does not exist/);
    const data = { accessKeyId: 'YQ==', secretKey: 'Yg==' };
    await make(types.secrets, secret('bucket-key', 'vmdi-farm', { data }));
    await world.phase('unkeyed', 'Ready');
  });

  on('a ConfigMap of an image', async () => {
    await world.create('untrusted', withSource('untrusted', { certConfigMap: 'certificates' }));
    const failed = await world.phase('untrusted', 'Failed');
    assert.match(messageOf(failed, 'VMDiskImage'), /vmdi-farm\/untrusted waits: ConfigMap certificates does not exist/);
    const metadata = { name: 'certificates', namespace: 'vmdi-farm' };
    await make(types.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await world.phase('untrusted', 'Ready');
  });

  on('a class of an image', async () => {
    await world.create('unstored', withSource('unstored', { storageClass: 'paper' }));
    const failed = await world.phase('unstored', 'Failed');
    assert.match(messageOf(failed, 'VMDiskImage'), /vmdi-farm\/unstored waits: StorageClass paper does not exist/);
  });

  await Promise.all(cases);
  for (const [type, { metadata }] of made) {
    const { name = '', namespace } = metadata;
    await stage.resource(type).delete({ name, namespace });
  }
});

const imagePullSecrets = [{ name: 'team-registry' }];
