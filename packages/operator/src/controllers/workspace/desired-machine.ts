/** The VirtualMachine of an entry, and the Secret with the passwords its author wrote in plain text. */
import {
  labels,
  labelValue,
  passwordSecretName,
  pelotechApiVersion,
  toLabel,
  type VirtualMachine,
  type WorkspaceVM,
} from '@terrain/api';
import type { Secret } from '#platform/core.ts';
import { diskSizeOf, isWantedRunning, namespaceOf, ownerOf, ownLabels } from './facts.ts';
import type { StoredWorkspace } from './snapshot.ts';

type User = NonNullable<WorkspaceVM['users']>[number];

const isPlain = (user: User): boolean => user.plain_text_passwd !== undefined;
/** A user may have any name, a key of a Secret may not. */
const keyOfUser = ({ name }: User): string => toLabel(name);

/** Undefined when no user has a password in plain text. */
export function desiredPasswords(workspace: StoredWorkspace, vm: WorkspaceVM): Secret | undefined {
  const users = (vm.users ?? []).filter(isPlain);
  if (users.length === 0) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: passwordSecretName(vm.name),
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      ownerReferences: [ownerOf(workspace)],
    },
    type: 'Opaque',
    data: Object.fromEntries(
      users.map((user) => [keyOfUser(user), Buffer.from(user.plain_text_passwd ?? '').toString('base64')]),
    ),
  };
}

/** `deployer` is the account deploy roles are applied through, where there are any. */
export function desiredMachine(
  workspace: StoredWorkspace,
  vm: WorkspaceVM,
  imageNamespace: string,
  deployer?: User,
): VirtualMachine {
  const {
    name,
    backingVMDiskImage,
    vmDiskImageTemplate: _,
    diskSize: _size,
    ansible,
    users,
    powerState,
    resources,
    ...shared
  } = vm;
  const size = diskSizeOf(vm);
  const accounts = [
    ...(users ?? []).map((user) => withoutPlainPassword(vm, user)),
    ...(deployer === undefined ? [] : [deployer]),
  ];
  const wanted = isWantedRunning(workspace) ? powerState : 'Stopped';
  return {
    apiVersion: pelotechApiVersion,
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace: namespaceOf(workspace),
      labels: { ...ownLabels(workspace), ...rolesLabel(ansible?.roles?.build) },
      ownerReferences: [ownerOf(workspace)],
    },
    spec: {
      ...shared,
      name,
      resources: { ...resources, ...(size === undefined ? {} : { diskSize: size }) },
      ...(accounts.length === 0 ? {} : { users: accounts }),
      ...(wanted === undefined ? {} : { powerState: wanted }),
      vmDiskImageRef: { name: backingVMDiskImage, namespace: imageNamespace },
    },
  };
}

function withoutPlainPassword(vm: WorkspaceVM, user: User): User {
  if (!isPlain(user)) return user;
  const { plain_text_passwd: _, ...rest } = user;
  return { ...rest, passwordSecretRef: { name: passwordSecretName(vm.name), key: keyOfUser(user) } };
}

/** Roles the image was built with, for the image pipeline; they are not run here. */
function rolesLabel(roles: readonly { readonly role: string }[] = []): Record<string, string> {
  return roles.length === 0 ? {} : { [labels.buildRoles]: labelValue(roles.map(({ role }) => role).join('.')) };
}
