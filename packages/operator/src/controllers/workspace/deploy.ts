/** Deploy roles: one Job per set of roles applies them from a place in the lab, once all machines are ready. Pure. */
import {
  deployJobName,
  deployKeySecretName,
  deployPlanSecretName,
  labels,
  macAddress,
  pullSecretName,
  type WorkspaceVM,
} from '@terrain/api';
import { type Secret, secretType } from '#platform/core.ts';
import { type Attachment, attachmentsAnnotation } from '#platform/network.ts';
import { type Job, jobEnd, jobType, lastWords } from '#platform/workload.ts';
import { attachedDefinition } from './desired-network.ts';
import { hash, isWantedRunning, namespaceOf, ownerOf, ownLabels } from './facts.ts';
import { machineFinding, machineOf } from './machine.ts';
import { childOf, type Finding, no, type Snapshot, type StoredWorkspace, type WorkspacePolicy, yes } from './snapshot.ts';
import type { SshKey } from './ssh-key.ts';

/** The account on the machines the runner logs in to. */
const account = 'terrain-deploy';
const keys = { privateKey: 'ssh-privatekey', publicKey: 'ssh-publickey' } as const;

type Role = NonNullable<NonNullable<NonNullable<WorkspaceVM['ansible']>['roles']>['deploy']>[number];
const rolesOf = ({ ansible }: WorkspaceVM): readonly Role[] => ansible?.roles?.deploy ?? [];

const withRoles = ({ spec }: StoredWorkspace): WorkspaceVM[] => (spec.vms ?? []).filter((vm) => rolesOf(vm).length > 0);

/** Those that run: one that is left stopped is applied when it is first started. */
const applied = (workspace: StoredWorkspace): WorkspaceVM[] =>
  isWantedRunning(workspace)
    ? withRoles(workspace).filter(
        ({ powerState, ignoreOnDeploy }) => (powerState ?? (ignoreOnDeploy === true ? 'Stopped' : 'Running')) === 'Running',
      )
    : [];

/** Whether there are roles, and everything to apply them with. */
export const hasRunner = ({ workspace, policy }: Snapshot): boolean =>
  withRoles(workspace).length > 0 && workspace.spec.deployRunner !== undefined && policy.ansibleImage !== '';

export const keySecretOf = (snapshot: Snapshot): Secret | undefined => childOf<Secret>(snapshot, secretType, deployKeySecretName);

/** The account with the public half; undefined for machines no role is for. */
export function deployUser(snapshot: Snapshot, vm: WorkspaceVM): NonNullable<WorkspaceVM['users']>[number] | undefined {
  const publicKey = keySecretOf(snapshot)?.data?.[keys.publicKey];
  if (!hasRunner(snapshot) || rolesOf(vm).length === 0 || publicKey === undefined) return undefined;
  return {
    name: account,
    lock_passwd: true,
    sudo: 'ALL=(ALL) NOPASSWD:ALL',
    ssh_authorized_keys: [Buffer.from(publicKey, 'base64').toString()],
  };
}

export const desiredKeySecret = (workspace: StoredWorkspace, { privateKey, publicKey }: SshKey): Secret =>
  secret(workspace, deployKeySecretName, { [keys.privateKey]: privateKey, [keys.publicKey]: publicKey });

function secret(workspace: StoredWorkspace, name: string, texts: Readonly<Record<string, string>>): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      ownerReferences: [ownerOf(workspace)],
    },
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(texts).map(([key, content]) => [key, Buffer.from(content).toString('base64')])),
  };
}

/** The address under which the runner reaches a machine: on its own network if the machine is there, else the first. */
function addressOf({ spec }: StoredWorkspace, { interfaces = [] }: WorkspaceVM): string | undefined {
  const near = interfaces.find(({ network, ipAddress }) => network === spec.deployRunner?.network && ipAddress !== undefined);
  return (near ?? interfaces.find(({ ipAddress }) => ipAddress !== undefined))?.ipAddress?.split('/', 1)[0];
}

/** What the Job works from. JSON is YAML, and quotes every value of a person safely. */
function planTexts(workspace: StoredWorkspace): { readonly 'inventory.yaml': string; readonly 'playbook.yaml': string } {
  const machines = applied(workspace);
  const hosts = Object.fromEntries(
    machines.map((vm) => [vm.name, { ansible_host: addressOf(workspace, vm), ansible_user: account }]),
  );
  const plays = machines.map((vm) => ({
    hosts: vm.name,
    become: true,
    roles: rolesOf(vm).map(({ role, variables }) => ({ role, ...(variables === undefined ? {} : { vars: variables }) })),
  }));
  return { 'inventory.yaml': JSON.stringify({ all: { hosts } }), 'playbook.yaml': JSON.stringify(plays) };
}

/** What one set of roles is known by. */
function planHash({ workspace, policy }: Snapshot): string {
  return hash([planTexts(workspace), workspace.spec.deployRunner, policy.ansibleImage]).slice(0, 16);
}

/** The Job and what it reads; undefined while it is not time, or there is nothing to apply. */
export function desiredDeploy(snapshot: Snapshot): { readonly plan: Secret; readonly job: Job } | undefined {
  const { workspace } = snapshot;
  if (!hasRunner(snapshot) || applied(workspace).length === 0 || keySecretOf(snapshot) === undefined) return undefined;
  const id = planHash(snapshot);
  // Once begun it is not taken back when a machine is being repaired.
  if (childOf(snapshot, jobType, deployJobName(id)) === undefined && !areMachinesReady(snapshot)) return undefined;
  return { plan: secret(workspace, deployPlanSecretName(id), planTexts(workspace)), job: jobOf(snapshot, id) };
}

const areMachinesReady = (snapshot: Snapshot): boolean =>
  (snapshot.workspace.spec.vms ?? []).every((vm) => {
    const machine = machineOf(snapshot, vm);
    return machine !== undefined && machineFinding(machine).status === 'True';
  });

function jobOf({ workspace, policy }: Snapshot, id: string): Job {
  const { imagePullSecrets = [] } = workspace.spec;
  const name = deployJobName(id);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      ownerReferences: [ownerOf(workspace)],
    },
    spec: {
      backoffLimit: 3,
      template: {
        metadata: {
          labels: { ...ownLabels(workspace), [labels.deployJob]: name },
          annotations: { [attachmentsAnnotation]: JSON.stringify([attachment(workspace, policy)]) },
        },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          restartPolicy: 'Never',
          ...(imagePullSecrets.length === 0
            ? {}
            : { imagePullSecrets: imagePullSecrets.map((reference) => ({ name: pullSecretName(reference.name) })) }),
          containers: [
            {
              name: 'ansible',
              image: policy.ansibleImage,
              command: [
                'ansible-playbook',
                '--private-key',
                `/key/${keys.privateKey}`,
                '-i',
                '/plan/inventory.yaml',
                '/plan/playbook.yaml',
              ],
              // The guests are new, and reached on a network nobody else is on.
              env: [{ name: 'ANSIBLE_HOST_KEY_CHECKING', value: 'False' }],
              // Its last lines become the pod's message, where they can be read without a right on logs.
              terminationMessagePolicy: 'FallbackToLogsOnError',
              // OpenSSH wants a private key that is its user's alone.
              securityContext: { runAsUser: 0 },
              volumeMounts: [
                { name: 'plan', mountPath: '/plan', readOnly: true },
                { name: 'key', mountPath: '/key', readOnly: true },
              ],
            },
          ],
          volumes: [
            { name: 'plan', secret: { secretName: deployPlanSecretName(id) } },
            { name: 'key', secret: { secretName: deployKeySecretName, defaultMode: 0o400 } },
          ],
        },
      },
    },
  };
}

function attachment(workspace: StoredWorkspace, policy: WorkspacePolicy): Attachment {
  const { network = '', ipAddress = '' } = workspace.spec.deployRunner ?? {};
  return {
    name: attachedDefinition(policy, network),
    namespace: namespaceOf(workspace),
    interface: 'net1',
    mac: macAddress(`${workspace.metadata.uid}/deploy`, network),
    ips: [ipAddress],
  };
}

/** Deploy roles never hold up a workspace. */
export function rolesFinding(snapshot: Snapshot): Finding {
  const { workspace, policy } = snapshot;
  const machines = withRoles(workspace);
  if (machines.length === 0) return yes('NoRoles', 'no machine has deploy roles');
  const names = machines.map(({ name }) => name).join(', ');
  const missing = [
    ...(workspace.spec.deployRunner === undefined ? ['spec.deployRunner'] : []),
    ...(policy.ansibleImage === '' ? ['ansibleImage in the sync policy'] : []),
  ];
  if (missing.length > 0)
    return no(
      'RunnerNotConfigured',
      `the deploy roles of ${names} are not applied: set ${missing.join(' and ')}, or remove the roles`,
    );
  if (applied(workspace).length === 0)
    return no('RolesPending', `the deploy roles of ${names} are applied when the machines run`);
  const job = childOf<Job>(snapshot, jobType, deployJobName(planHash(snapshot)));
  if (job === undefined) return no('RolesPending', `the deploy roles of ${names} wait for the machines`);
  const end = jobEnd(job);
  if (end === undefined) return no('RolesPending', `the deploy roles of ${names} are being applied by Job ${job.metadata.name}`);
  if (end.isSuccess) return yes('RolesApplied', `the deploy roles of ${names} have been applied`);
  const words = snapshot.pods
    .filter(({ metadata }) => metadata.labels?.[labels.deployJob] === job.metadata.name)
    .map(lastWords)
    .find((message) => message !== undefined);
  return no(
    'RolesFailed',
    `applying the deploy roles of ${names} failed: ${words ?? end.message}; correct the roles, or delete Job ${job.metadata.name} to try again`,
  );
}
