/** Images under the names the seed uses, made here, since there is no registry to pull them from. */
import { join } from 'node:path';
import { ensureBinaries } from '@terrain/embedded';
import { runCommand } from '#csi/command.ts';
import type { RealNode } from '#real/node.ts';
import type { Entry } from '#real/oci/entry.ts';
import { writeImage } from '#real/oci/image.ts';
import { busyboxProgram } from '#real/packages.ts';

/** The seed's names. */
export const appImage = 'ghcr.io/demo/demo-containers/demo-app:1.0.2';
export const ansibleImage = 'ghcr.io/demo/demo-containers/ansible:2.5.14';

/** Serves the name of its pod, and ends when it is asked to: the first process of a container hears it only if it listens. */
export const tellName = `trap 'exit 0' TERM INT; mkdir -p /tmp/www; hostname > /tmp/www/index.html; httpd -p 8080 -h /tmp/www; while :; do sleep 3600 & wait $!; done`;

/** A nameserver that knows the router of the lab, and its own name and nobody else's. */
const corefile = `lab {
    template IN A {
        match "^router[.]lab[.]$"
        answer "{{ .Name }} 5 IN A 4.29.163.6"
        fallthrough
    }
    template IN A {
        match "^{$HOSTNAME}[.]lab[.]$"
        answer "{{ .Name }} 5 IN A 127.0.0.1"
        fallthrough
    }
    template IN AAAA {
        match "^(router|{$HOSTNAME})[.]lab[.]$"
        rcode NOERROR
        fallthrough
    }
    template ANY ANY {
        rcode NXDOMAIN
    }
    errors
}
`;

/**
 * A stand-in for ansible-playbook: there is no machine to log in to, since machines are simulated. It sees to it that everything is in its place as
 * the real one would need it, and tells what it was given.
 */
const playbook = `#!/bin/sh
set -eu
fail() { echo "fatal: $*"; exit 2; }
[ "$1" = --private-key ] && [ "$3" = -i ] || fail "arguments are $*"
[ "$(stat -L -c %a "$2")" = 400 ] || fail "the key is not its owner's alone"
head -n 1 "$2" | grep -q 'BEGIN OPENSSH PRIVATE KEY' || fail 'there is no key'
[ "$ANSIBLE_HOST_KEY_CHECKING" = False ] || fail 'host keys would be checked'
echo "at $(ip -4 addr show net1 | sed -n 's/.*inet \\([^ ]*\\).*/\\1/p')"
echo "inventory $(cat "$4")"
echo "playbook $(cat "$5")"
grep -q '"role":"broken"' "$5" && fail '[router]: the role broken was not found'
echo 'PLAY RECAP'
`;

async function shellEntries(): Promise<Entry[]> {
  const applets = (await runCommand(busyboxProgram, ['--list'])).trim().split('\n');
  return [
    ...['bin', 'etc', 'proc', 'sys', 'dev', 'usr/bin'].map((path): Entry => ({ kind: 'directory', path })),
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    { kind: 'file', path: 'bin/busybox', source: busyboxProgram, mode: 0o755 },
    ...applets
      .filter((name) => name !== 'busybox')
      .map((name): Entry => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' })),
  ];
}

/** Makes both images and hands them to the node. */
export async function importSeedImages(node: RealNode, directory: string): Promise<void> {
  const shell = await shellEntries();
  const coredns = (await ensureBinaries(['coredns'], { binaries: process.env.TERRAIN_BINARIES })).path('coredns');
  const app: Entry[] = [
    { kind: 'file', path: 'bin/coredns', source: coredns, mode: 0o755 },
    { kind: 'text', path: 'etc/Corefile', text: corefile },
    { kind: 'directory', path: 'demo-app-config' },
    { kind: 'text', path: 'demo-app-config/zone', text: 'lab.\n' },
  ];
  const ansible: Entry[] = [{ kind: 'text', path: 'usr/bin/ansible-playbook', text: playbook, mode: 0o755 }];
  const images = [
    { name: appImage, layers: [shell, app], config: { entrypoint: ['/bin/coredns', '-conf', '/etc/Corefile'] } },
    { name: ansibleImage, layers: [shell, ansible], config: { entrypoint: ['/bin/sh', '-c', tellName] } },
  ];
  await Promise.all(
    images.map(async (image, index) => {
      const file = join(directory, `seed-${index}.tar`);
      await writeImage(file, image);
      await node.importImage(file);
    }),
  );
}
