import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine, Workspace, WorkspaceSpec } from '@terrain/api';
import { imageType, machineType } from '#controllers/shared/kind.ts';
import { podType, type Secret, secretType } from '#platform/core.ts';
import { type Job, jobType } from '#platform/workload.ts';
import { WorkspaceRig } from '#testing/workspace-rig.ts';

const lab: WorkspaceSpec = {
  vms: [
    {
      name: 'router',
      backingVMDiskImage: 'debian',
      resources: { cpu: '1', memory: '1Gi' },
      interfaces: [
        { network: 'wan', ipAddress: '10.30.0.5/24' },
        { network: 'lan', ipAddress: '10.20.0.5/24' },
      ],
      users: [{ name: 'demo', plain_text_passwd: 'secret' }],
      ansible: { roles: { deploy: [{ role: 'linuxRouter', variables: { enable_nat: true } }, { role: 'runtimeChecks' }] } },
    },
  ],
  networks: [
    { name: 'lan', cidr: '10.20.0.0/24' },
    { name: 'wan', cidr: '10.30.0.0/24' },
  ],
  deployRunner: { network: 'lan', ipAddress: '10.20.0.2/24' },
};
const policy = { imageUrlTemplate: 'https://images.example.com/{name}.qcow2', ansibleImage: 'ansible:1' };

const rolesOf = ({ status }: Workspace) => status?.conditions?.find(({ type }) => type === 'DeployRolesApplied');
const text = (secret: Secret | undefined, key: string): string => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString();

test('deploy roles are applied from the runner’s place, with a key the machines have known from the start', async () => {
  await using rig = await WorkspaceRig.start(policy);
  await rig.create('demo', lab);
  await rig.until('image', () => rig.names(imageType).includes('debian'));
  await rig.syncImage('debian');
  await rig.until('machine', () => rig.names(machineType).length === 1);
  const { users = [] } = rig.object<VirtualMachine>(machineType, 'router')?.spec ?? {};
  const key = rig.object<Secret>(secretType, 'workspace-deploykey');
  assert.deepEqual(
    users.map(({ name, ssh_authorized_keys }) => [name, ssh_authorized_keys]),
    [
      ['demo', undefined],
      ['terrain-deploy', [text(key, 'ssh-publickey')]],
    ],
  );
  assert.deepEqual([users[0]?.plain_text_passwd, users[0]?.passwordSecretRef?.name], [undefined, 'router-passwords']);
  assert.deepEqual(rig.names(jobType), [], 'the machines are not ready');
  await rig.standUp();
  await rig.until('Job', () => rig.names(jobType).length === 1);
  const waiting = await rig.reason('demo', 'Ready');
  assert.equal(rolesOf(waiting)?.reason, 'RolesPending');

  const [job] = rig.objects<Job>(jobType);
  const { template } = job?.spec ?? assert.fail('there is no Job');
  assert.equal(template.spec.containers[0]?.image, 'ansible:1');
  const [attached] = JSON.parse(template.metadata.annotations?.['k8s.v1.cni.cncf.io/networks'] ?? '[]') as { ips: string[] }[];
  assert.deepEqual(attached?.ips, ['10.20.0.2/24']);
  const plan = rig.object<Secret>(secretType, template.spec.volumes?.[0]?.secret?.secretName ?? '');
  assert.deepEqual(JSON.parse(text(plan, 'inventory.yaml')), {
    all: { hosts: { router: { ansible_host: '10.20.0.5', ansible_user: 'terrain-deploy' } } },
  });
  assert.deepEqual(JSON.parse(text(plan, 'playbook.yaml')), [
    {
      hosts: 'router',
      become: true,
      roles: [{ role: 'linuxRouter', vars: { enable_nat: true } }, { role: 'runtimeChecks' }],
    },
  ]);
  await rig.standUp();
  await rig.until('roles applied', () => rolesOf(rig.workspace('demo')!)?.reason === 'RolesApplied');
});

test('a failure is told in the last words of the Job, and holds up nothing; other roles are another Job', async () => {
  await using rig = await WorkspaceRig.start(policy);
  await rig.create('demo', lab);
  await rig.until('image', () => rig.names(imageType).includes('debian'));
  await rig.syncImage('debian');
  await rig.until('machine', () => rig.names(machineType).length === 1);
  await rig.standUp();
  await rig.until('Job', () => rig.names(jobType).length === 1);
  const [name = ''] = rig.names(jobType);
  const terminated = { exitCode: 2, message: 'fatal: [router]: UNREACHABLE!' };
  const labels = { 'pelotech.ot/workspace': 'demo', 'pelotech.ot/deploy-job': name };
  const metadata = { name: 'run-1', namespace: 'workspace-demo', labels };
  await rig.resource(podType).create({ apiVersion: 'v1', kind: 'Pod', metadata });
  await rig.say(podType, 'run-1', { status: { containerStatuses: [{ name: 'ansible', state: { terminated } }] } });
  const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'Job has reached the limit' };
  await rig.say(jobType, name, { status: { conditions: [failed] } });
  await rig.until('told failure', () => rolesOf(rig.workspace('demo')!)?.message.includes('UNREACHABLE'));
  assert.equal(rolesOf(rig.workspace('demo')!)?.reason, 'RolesFailed');
  await rig.reason('demo', 'Ready');

  const [vm] = lab.vms!;
  await rig.change('demo', { vms: [{ ...vm, ansible: { roles: { deploy: [{ role: 'runtimeChecks' }] } } }] });
  await rig.until('another Job', () => rig.names(jobType).length === 1 && rig.names(jobType)[0] !== name);
});

test('without a runner the roles are not applied, and it says what to set', async () => {
  await using rig = await WorkspaceRig.start({ ...policy, ansibleImage: '' });
  await rig.create('demo', lab);
  await rig.until('told so', () => rolesOf(rig.workspace('demo')!)?.reason === 'RunnerNotConfigured');
  assert.match(rolesOf(rig.workspace('demo')!)?.message ?? '', /set ansibleImage in the sync policy, or remove the roles/);
});
