import { runCommand } from '#csi/command.ts';

/** Others install too, updates of a new machine above all: they are waited for, by seconds. */
const patience = ['-o', 'DPkg::Lock::Timeout=300'];

/** Installs Debian packages by name, without recommendations and without a question. */
export async function installDebianPackages(names: readonly string[], run: typeof runCommand = runCommand): Promise<void> {
  const apt = (...args: readonly string[]) =>
    run('/bin/sh', ['-c', 'DEBIAN_FRONTEND=noninteractive exec apt-get -q "$@"', 'terrain', ...patience, ...args]);
  const install = () => apt('install', '-y', '--no-install-recommends', ...names);
  await install().catch(async () => {
    // The list of packages may be older than what the mirror still has.
    await apt('update');
    await install();
  });
}
