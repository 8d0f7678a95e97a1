/** How to reach a machine: what a person who wants to log in needs to know, and nothing secret. */
import { kubevirtMachineName, type VirtualMachine, type VirtualMachineUser } from '@terrain/api';
import { plain } from '../output/plain.ts';
import { table } from '../output/table.ts';
import { addressOf, interfacesOf } from './address.ts';
import { keyOf, wantedPower } from './state.ts';

export interface ConsoleInfo {
  readonly machine: string;
  /** In the words of KubeVirt; absent while it has no machine. */
  readonly state?: string;
  /** Whether a console can be opened now, and if not, why. */
  readonly console: { readonly canOpen: boolean; readonly why?: string };
  readonly commands: { readonly serial: string; readonly screen: string; readonly ssh?: string; readonly details: string };
  readonly networks: readonly { readonly network: string; readonly address: string; readonly mac?: string }[];
  readonly users: readonly UserInfo[];
}

/** How one account can log in. Never a password, nor its hash. */
export interface UserInfo {
  readonly name: string;
  readonly password: string;
  readonly sshKeys: number;
}

/** What to tell about a machine, given whether the person may open its console. */
export function consoleInfo(machine: VirtualMachine, mayOpen: boolean): ConsoleInfo {
  const { metadata, spec, status } = machine;
  const namespace = metadata.namespace ?? '';
  const name = status?.kubevirt?.name ?? kubevirtMachineName(metadata.name);
  const state = status?.kubevirt?.printableStatus;
  const at = `${name} -n ${namespace}`;
  const why = obstacleOf(machine, mayOpen);
  const isOnPodNetwork = (spec.interfaces ?? []).length === 0;
  const [user] = spec.users ?? [];
  return {
    machine: keyOf(machine),
    ...(state === undefined ? {} : { state: plain(state) }),
    console: { canOpen: why === undefined, ...(why === undefined ? {} : { why }) },
    commands: {
      serial: `virtctl console ${at}`,
      screen: `virtctl vnc ${at}`,
      // Only the pod network leads to a guest from outside its lab; a name a shell would take apart is no name for ssh either.
      ...(isOnPodNetwork && user !== undefined && /^[a-z_][a-z0-9_-]*$/.test(user.name)
        ? { ssh: `virtctl ssh ${user.name}@vm/${name} -n ${namespace}` }
        : {}),
      details: `kubectl get virtualmachineinstances.kubevirt.io ${at} -o wide`,
    },
    networks: interfacesOf(machine).map((card) => ({
      network: plain(card.network),
      address: addressOf(card),
      ...(card.macAddress === undefined ? {} : { mac: card.macAddress }),
    })),
    users: (spec.users ?? []).map(userInfo),
  };
}

/** Why no console can be opened now; undefined when one can. */
function obstacleOf(machine: VirtualMachine, mayOpen: boolean): string | undefined {
  const { metadata, status } = machine;
  const state = status?.kubevirt?.printableStatus;
  const where = `${metadata.name} -n ${metadata.namespace}`;
  if (metadata.deletionTimestamp !== undefined) return 'the machine is being deleted';
  if (state === undefined)
    return `the machine has not been made yet: ${plain(status?.message ?? 'the operator has not seen it yet')}`;
  if (state !== 'Running' && state !== 'Paused') {
    if (wantedPower(machine) === 'Stopped') return `its spec keeps the machine stopped; \`terrain vm start ${where}\` starts it`;
    return `the machine does not run (${plain(state)}): ${plain(status?.message ?? '')}; \`terrain vm wait ${where}\` waits for it`;
  }
  return mayOpen
    ? undefined
    : `you may not: it needs the right to get virtualmachineinstances/console in the group subresources.kubevirt.io in namespace ${metadata.namespace}; KubeVirt's role kubevirt.io:edit has it`;
}

function userInfo(user: VirtualMachineUser): UserInfo {
  return { name: plain(user.name), password: passwordOf(user), sshKeys: user.ssh_authorized_keys?.length ?? 0 };
}

function passwordOf({ passwordSecretRef, hashed_passwd, plain_text_passwd, lock_passwd }: VirtualMachineUser): string {
  const where =
    passwordSecretRef !== undefined
      ? `in Secret ${passwordSecretRef.name}, key ${passwordSecretRef.key ?? 'password'}`
      : plain_text_passwd !== undefined
        ? 'in the spec of the machine'
        : hashed_passwd !== undefined
          ? 'known to whoever made its hash'
          : undefined;
  if (where === undefined) return 'none';
  // Left out, cloud-init locks it.
  return lock_passwd === false ? where : `${where}, but locked: lock_passwd is not false`;
}

/** The same for people. */
export function renderConsoleInfo({ machine, state, console: door, commands, networks, users }: ConsoleInfo): string {
  const lines = [
    `Machine  ${machine}${state === undefined ? '' : `, ${state}`}`,
    `Console  ${door.canOpen ? commands.serial : `not now: ${door.why}`}`,
    ...(door.canOpen ? [`Screen   ${commands.screen}`] : [`         later: ${commands.serial}`]),
    ...(commands.ssh === undefined ? [] : [`SSH      ${commands.ssh}`]),
    `Details  ${commands.details}`,
  ];
  const cards = networks.map(({ network, address, mac }) => [network, address, mac ?? '-']);
  const accounts = users.map(({ name, password, sshKeys }) => [name, sshKeys === 0 ? '-' : String(sshKeys), password]);
  return [
    lines.map((line) => `${line}\n`).join(''),
    cards.length === 0 ? 'Network  the pod network\n' : table([['NETWORK', 'ADDRESS', 'MAC'], ...cards]),
    accounts.length === 0
      ? 'Users    those of the image: the spec declares none\n'
      : table([['USER', 'SSH KEYS', 'PASSWORD'], ...accounts]),
    'virtctl comes with KubeVirt (as a plugin: kubectl virt); Ctrl-] ends a console, and a second one throws the first out.\n',
  ].join('\n');
}
