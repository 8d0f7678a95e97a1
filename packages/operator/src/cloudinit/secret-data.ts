/** What a guest reads at its first start, as the texts of the Secret KubeVirt makes a cloud-init disk of. */
import { guestHostname, type VirtualMachine, type VirtualMachineUser } from '@terrain/api';
import type { GuestInterface } from './interfaces.ts';
import { toYaml, toYamlLine } from './yaml.ts';

/** All that decides the texts. */
export type CloudInitInput = {
  readonly vm: VirtualMachine;
  /** What tells one life of the root disk from the next; changes with a reset. */
  readonly instanceId: string;
  /** What the Secrets of `passwordSecretRef` hold, by user name: a password, or a hash in crypt format. */
  readonly passwords: ReadonlyMap<string, string>;
  readonly interfaces: readonly GuestInterface[];
};

/** Must be the first line: with `## template: jinja` there, cloud-init would run what people wrote as a template. */
const header = '#cloud-config';

/** Crypt format: scheme, parameters or salt, hash. */
const crypt = /^\$(?:1|2[abxy]|5|6|7|y|gy|sha1)\$(?:[./0-9A-Za-z,=]+\$)+[./0-9A-Za-z]{20,}$/;

/**
 * The keys and texts of the Secret.
 *
 * Guarantees: the same input gives the same bytes; read as YAML they give exactly the values of the input, whatever is in them.
 *
 * Caveat: KubeVirt writes the meta data itself and takes the instance id from `domain.firmware.uuid`; here it only marks the text.
 */
export function cloudInitSecretData(input: CloudInitInput): Record<'userdata' | 'networkdata', string> {
  return {
    userdata: `${header}\n# instance: ${toYamlLine(input.instanceId)}\n${toYaml(userData(input))}`,
    networkdata: toYaml(networkData(input.interfaces)),
  };
}

function userData({ vm, passwords }: CloudInitInput): Readonly<Record<string, unknown>> {
  const { name, users } = vm.spec;
  return {
    hostname: guestHostname(name ?? vm.metadata.name),
    preserve_hostname: false,
    // A lab may have no nameserver; without this line sudo waits for one to tell the guest's own name.
    manage_etc_hosts: 'localhost',
    // Left out altogether when none are declared: the image then makes its own default user.
    ...(users === undefined || users.length === 0
      ? {}
      : { users: users.map((user) => userEntry(user, passwords.get(user.name))) }),
  };
}

function userEntry(user: VirtualMachineUser, secret: string | undefined): Readonly<Record<string, unknown>> {
  const { passwordSecretRef, ...fields } = user;
  if (passwordSecretRef === undefined || secret === undefined) return fields;
  // A Secret made from a file ends in a newline that nobody types.
  const password = secret.replace(/\r?\n$/, '');
  return { ...fields, [crypt.test(password) ? 'hashed_passwd' : 'plain_text_passwd']: password };
}

function networkData(interfaces: readonly GuestInterface[]): Readonly<Record<string, unknown>> {
  return { version: 2, ethernets: Object.fromEntries(interfaces.map((one) => [one.name, ethernet(one)])) };
}

function ethernet({ name, macAddress, dhcp, addresses, routes, nameservers }: GuestInterface): Readonly<Record<string, unknown>> {
  return {
    match: { macaddress: macAddress },
    // Guests that do not use netplan find a card only by its name.
    'set-name': name,
    dhcp4: dhcp,
    dhcp6: false,
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(routes.length === 0 ? {} : { routes }),
    ...(nameservers.length === 0 ? {} : { nameservers: { addresses: nameservers } }),
  };
}
