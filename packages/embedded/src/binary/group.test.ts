import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requiredModules } from '#upstream/module.ts';
import { etcdVersion, groups, kubernetesVersion, kwokVersion, moduleRoot } from './group.ts';

const requirements = (module: string) =>
  new Map(requiredModules(readFileSync(join(moduleRoot, module, 'go.mod'), 'utf8')).map(({ path, version }) => [path, version]));

test('the versions named here are those that go.mod pins', () => {
  assert.equal(requirements('kubernetes').get('k8s.io/kubernetes'), `v${kubernetesVersion}`);
  assert.equal(requirements('kubernetes').get('go.etcd.io/etcd/server/v3'), `v${etcdVersion}`);
  assert.equal(requirements('kwok').get('sigs.k8s.io/kwok'), `v${kwokVersion}`);
  assert.equal(requirements('upstream').get('sigs.k8s.io/kwok'), `v${kwokVersion}`, 'stages and program belong together');
});

test('a title that names a version names the one that is pinned', () => {
  const pinned = {
    multus: 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4',
    'kube-router': 'github.com/cloudnativelabs/kube-router/v2',
    coredns: 'github.com/coredns/coredns',
  } as const;
  for (const [name, module] of Object.entries(pinned)) {
    const version = requirements(name).get(module)?.slice(1);
    assert.ok(groups[name as keyof typeof pinned].title.includes(` ${version}:`), `${name} ${version}`);
  }
});

test('every staging module is pinned to the release of Kubernetes', () => {
  const goMod = readFileSync(join(moduleRoot, 'kubernetes', 'go.mod'), 'utf8');
  const replaced = [...goMod.matchAll(/^\t(k8s\.io\/\S+) => (k8s\.io\/\S+) (\S+)$/gm)];
  assert.equal(replaced.length, 33);
  for (const [, from, to, version] of replaced) assert.deepEqual([to, version], [from, `v0.${kubernetesVersion.slice(2)}`]);
});

test('each group has a frozen module, and no program belongs to two groups', () => {
  const programs = Object.values(groups).flatMap((group) => Object.values(group.programs) as string[]);
  assert.equal(new Set(programs).size, programs.length);
  for (const [name, group] of Object.entries(groups)) {
    assert.equal(group.name, name);
    for (const file of ['go.mod', 'go.sum']) assert.ok(existsSync(join(moduleRoot, group.module, file)));
  }
});
