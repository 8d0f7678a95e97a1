import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { runCommand } from '#csi/command.ts';
import type { Entry } from './entry.ts';
import { writeImage } from './image.ts';

/** Holds a pod's namespaces open and reaps what its containers leave behind. */
export const pauseImage = 'localhost/terrain/pause:1';
/** busybox and nothing else: a shell and small tools for pods of examples and tests. */
export const shellImage = 'localhost/terrain/shell:1';

export async function writePauseImage(directory: string, program: string): Promise<string> {
  const file = join(directory, 'pause.tar');
  const entries: Entry[] = [{ kind: 'file', path: 'pause', source: program, mode: 0o755 }];
  await writeImage(file, { name: pauseImage, layers: [entries], config: { entrypoint: ['/pause'], user: '65535:65535' } });
  return file;
}

/** `busybox` is the statically linked one of Debian's busybox-static. */
export async function writeShellImage(directory: string, busybox: string): Promise<string> {
  const file = join(directory, 'shell.tar');
  await writeImage(file, { name: shellImage, layers: [await shellEntries(busybox)], config: { command: ['sh'] } });
  return file;
}

/**
 * An image under somebody else's name, for containers whose own image cannot be had: busybox, which says what it is, serves a page that says so too,
 * and stays.
 */
export async function writeStandInImage(directory: string, busybox: string, name: string): Promise<string> {
  const file = join(directory, `stand-in-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.tar`);
  const words = `A stand-in for ${name}: busybox and nothing else, made by terrain up --real.\n`;
  // The first process of a container hears a request to end only if it asks for it.
  const script = `trap 'exit 0' TERM INT; cat /www/index.html; httpd -p ${standInPort} -h /www; while :; do sleep 3600 & wait $!; done`;
  const page: Entry[] = [
    { kind: 'directory', path: 'www' },
    { kind: 'text', path: 'www/index.html', text: words },
  ];
  const layers = [await shellEntries(busybox), page];
  await writeImage(file, { name, layers, config: { entrypoint: ['/bin/sh', '-c', script] } });
  return file;
}

const standInPort = 8080;

/** A root file system around busybox. */
async function shellEntries(busybox: string): Promise<Entry[]> {
  const applets = (await runCommand(busybox, ['--list'])).trim().split('\n');
  return [
    ...['bin', 'dev', 'etc', 'proc', 'sys', 'usr', 'usr/bin', 'var'].map((path): Entry => ({ kind: 'directory', path })),
    { kind: 'directory', path: 'root', mode: 0o700 },
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    { kind: 'text', path: 'etc/passwd', text: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n' },
    { kind: 'text', path: 'etc/group', text: 'root:x:0:\nnobody:x:65534:\n' },
    { kind: 'file', path: 'bin/busybox', source: busybox, mode: 0o755 },
    ...applets
      .filter((name) => name !== 'busybox')
      .map((name): Entry => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' })),
  ];
}
