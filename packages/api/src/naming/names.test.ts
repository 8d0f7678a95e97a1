/** The names of every child, beside each other: what they look like, that they are legal, and that none can be taken for another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dataSyncImageName, dataVolumeName, volumeSnapshotName } from './image.ts';
import {
  instanceClusterName,
  instanceHomeClaimName,
  instanceKubeconfigSecretName,
  instanceWorkloadName,
  instanceWorkspaceName,
  sharedClusterNamespace,
} from './instance.ts';
import { isDnsLabel } from './label.ts';
import { cloudInitSecretName, guestHostname, kubevirtMachineName, rootDiskName } from './machine.ts';
import {
  clusterDeploymentName,
  clusterServiceName,
  containerNetworkName,
  deployJobName,
  deployKeySecretName,
  deployPlanSecretName,
  passwordSecretName,
  pullSecretName,
  volumeClaimName,
  volumeSeedJobName,
  workspaceNamespace,
} from './workspace.ts';

const uid = '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f';
const hash = '0[a-z2-7]{16}';

const names: Record<string, { got: string; want: string | RegExp }> = {
  'a DataVolume': { got: dataVolumeName({ name: 'sync-workspace-123', uid, attempt: 2 }), want: 'sync-workspace-123-9f1c2d3e-2' },
  'a DataVolume of a long image name': {
    got: dataVolumeName({ name: 'i'.repeat(253), uid, attempt: 12 }),
    want: new RegExp(`^i{33}-${hash}-9f1c2d3e-12$`),
  },
  'a DataVolume of an image name with dots': {
    got: dataVolumeName({ name: 'ubuntu.20.04', uid, attempt: 1 }),
    want: new RegExp(`^ubuntu-20-04-${hash}-9f1c2d3e-1$`),
  },
  'a VolumeSnapshot': {
    got: volumeSnapshotName({ name: 'demo-vmdi', uid, attempt: 2, cut: 1 }),
    want: 'demo-vmdi-9f1c2d3e-2-s1',
  },
  'the image of a DataSync item': {
    got: dataSyncImageName('sync-workspace-123', 'attacker'),
    want: 'sync-workspace-123-attacker',
  },
  'the image of an item whose name has a dash': { got: dataSyncImageName('sync', 'web-server'), want: 'sync-web-server' },
  'the image of a DataSync named after a version': {
    got: dataSyncImageName('lab-7-1.4.0', 'target'),
    want: 'lab-7-1.4.0-target',
  },
  'the image of an item with a long name': {
    got: dataSyncImageName('sync-workspace-123', 'v'.repeat(63)),
    want: new RegExp(`^sync-workspace-123-v{26}-${hash}$`),
  },
  'a KubeVirt machine': { got: kubevirtMachineName('demo-workspace-1'), want: 'demo-workspace-1' },
  'a root disk': { got: rootDiskName({ name: 'demo-vm', uid }), want: 'demo-vm-9f1c2d3e-root' },
  'a root disk after a reset': { got: rootDiskName({ name: 'demo-vm', uid, resetToken: '1' }), want: 'demo-vm-db89d3ea-root' },
  'a cloud-init Secret': { got: cloudInitSecretName('demo-vm'), want: 'demo-vm-cloudinit' },
  'a workspace’s namespace': { got: workspaceNamespace('demo-workspace-1'), want: 'workspace-demo-workspace-1' },
  'the namespace of the longest workspace name': { got: workspaceNamespace('w'.repeat(53)), want: `workspace-${'w'.repeat(53)}` },
  'a network’s definition for containers, which no network of a person’s choice is called': {
    got: containerNetworkName('lan'),
    want: new RegExp(`^lan-for-containers-${hash}$`),
  },
  'a cluster’s Deployment': { got: clusterDeploymentName('demo-app'), want: 'demo-app' },
  'a cluster’s Service': { got: clusterServiceName('demo-app'), want: 'demo-app' },
  'the Service of a cluster that begins with a digit': {
    got: clusterServiceName('3proxy'),
    want: new RegExp(`^x3proxy-${hash}$`),
  },
  'a volume’s claim': { got: volumeClaimName('dnsconfig'), want: 'dnsconfig-volume' },
  'a volume’s seed Job': { got: volumeSeedJobName('dnsconfig'), want: 'dnsconfig-seed' },
  'a password Secret': { got: passwordSecretName('demo-vm'), want: 'demo-vm-passwords' },
  'a copied pull secret': { got: pullSecretName('registry-credentials'), want: 'registry-credentials-pull' },
  'a deploy key': { got: deployKeySecretName, want: 'workspace-deploykey' },
  'a deploy plan': { got: deployPlanSecretName('5f2c0a1b'), want: 'deploy-5f2c0a1b-plan' },
  'a deploy Job': { got: deployJobName('5f2c0a1b'), want: 'deploy-5f2c0a1b-run' },
  'an instance’s workload': { got: instanceWorkloadName, want: 'workspace' },
  'an instance’s home': { got: instanceHomeClaimName, want: 'workspace-home' },
  'an instance’s kubeconfig': { got: instanceKubeconfigSecretName, want: 'workspace-kubeconfig' },
  'an instance’s nested cluster': { got: instanceClusterName, want: 'cluster' },
  'a shared cluster’s namespace': {
    got: sharedClusterNamespace('ws-kubernetes-101-student-42'),
    want: 'ws-kubernetes-101-student-42-shared',
  },
  'the shared namespace of a long namespace': {
    got: sharedClusterNamespace('n'.repeat(63)),
    want: new RegExp(`^n{38}-${hash}-shared$`),
  },
  'an instance’s Workspace': { got: instanceWorkspaceName('ws-kubernetes-101-student-42'), want: 'ws-kubernetes-101-student-42' },
  'an instance’s Workspace in a long namespace': {
    got: instanceWorkspaceName('n'.repeat(54)),
    want: new RegExp(`^n{35}-${hash}$`),
  },
  'a guest’s host name': { got: guestHostname('demo-vm'), want: 'demo-vm' },
  'a guest’s host name from free text': { got: guestHostname(' Kali_Linux 2024.1! '), want: 'kali-linux-2024-1' },
  'a guest’s host name from nothing legal': { got: guestHostname('***'), want: 'vm' },
};
for (const [name, { got, want }] of Object.entries(names)) {
  test(`the name of ${name}`, () => {
    assert.ok(got.split('.').every(isDnsLabel) && got.length <= 63, got);
    if (typeof want === 'string') assert.equal(got, want);
    else assert.match(got, want);
  });
}

test('every name is a DNS label whatever the user wrote', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 260 }), fc.stringMatching(/^[a-z0-9][-.a-z0-9]{0,252}$/));
  const attempt = fc.integer({ min: 1, max: 1_000_000_000 });
  fc.assert(
    fc.property(text, text, attempt, (a, b, number) => {
      const all = [
        dataVolumeName({ name: a, uid: b, attempt: number }),
        volumeSnapshotName({ name: a, uid: b, attempt: number, cut: number }),
        dataSyncImageName(a, b).replaceAll('.', '-'),
        ...dataSyncImageName(a, b).split('.'),
        kubevirtMachineName(a),
        rootDiskName({ name: a, uid: b, resetToken: b }),
        guestHostname(a),
        workspaceNamespace(a),
        clusterServiceName(a),
        deployPlanSecretName(a),
        deployJobName(a),
        sharedClusterNamespace(a),
        instanceWorkspaceName(a),
        ...[cloudInitSecretName, passwordSecretName, pullSecretName, volumeClaimName, volumeSeedJobName].map((nameOf) =>
          nameOf(a),
        ),
      ];
      for (const name of all) assert.ok(isDnsLabel(name), name);
    }),
    { numRuns: 1000 },
  );
});

/** The kinds of object that share a namespace, each with all the ways a name of that kind is made. */
const sharing: Record<string, ((name: string) => string)[]> = {
  'Secrets of a workspace': [
    cloudInitSecretName,
    passwordSecretName,
    pullSecretName,
    deployPlanSecretName,
    () => deployKeySecretName,
  ],
  'Jobs of a workspace': [volumeSeedJobName, deployJobName],
  'claims of a workspace': [
    volumeClaimName,
    (name) => rootDiskName({ name, uid }),
    (name) => dataVolumeName({ name, uid, attempt: 1 }),
    (name) => dataVolumeName({ name, uid, attempt: 11 }),
  ],
  'snapshots of an image namespace': [
    (name) => volumeSnapshotName({ name, uid, attempt: 1, cut: 1 }),
    (name) => volumeSnapshotName({ name, uid, attempt: 1, cut: 2 }),
    (name) => volumeSnapshotName({ name, uid, attempt: 11, cut: 1 }),
  ],
  'claims of an instance': [() => instanceHomeClaimName, volumeClaimName],
};
for (const [kind, makers] of Object.entries(sharing)) {
  test(`${kind} never meet, whatever users call things`, () => {
    const seeds = ['a', 'a-b', 'workspace', 'deploy', 'deploy-a', '9f1c2d3e-1', 'a.b', 'n'.repeat(60), 'n'.repeat(70)];
    const made = seeds.flatMap((name) => makers.map((nameOf) => nameOf(name)));
    // Second round: users who name their things after children of others.
    const inputs = [...new Set([...seeds, ...made])];
    const owners = new Map<string, string>();
    for (const name of inputs) {
      for (const [i, nameOf] of makers.entries()) {
        const child = nameOf(name);
        const owner = nameOf.length === 0 ? `fixed ${i}` : `${i} ${name}`;
        assert.equal(owners.get(child) ?? owner, owner, `${child} has two owners`);
        owners.set(child, owner);
      }
    }
  });
}
