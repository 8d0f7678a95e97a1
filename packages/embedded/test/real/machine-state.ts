import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { changedSettings } from '#real/machine/sysctl.ts';

// What nft warns of on standard error is no concern of ours.
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Everything about this machine that a real node changes, so that it can be compared. */
export function machineState(home: string): Readonly<Record<string, unknown>> {
  const below = (path: string) => path.startsWith(home) || path.startsWith('/run/terrain/');
  return {
    links: (JSON.parse(run('ip', '-j', 'link')) as { ifname: string }[]).map(({ ifname }) => ifname),
    // Handles count up for ever; they are no part of the state.
    filters: run('nft', 'list', 'ruleset').replaceAll(/counter packets \d+ bytes \d+/g, ''),
    sets: run('ipset', 'list', '-n'),
    controlGroups: readdirSync('/sys/fs/cgroup').filter((name) => existsSync(`/sys/fs/cgroup/${name}/terrain`)),
    mounts: readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter(below),
    loopDevices: readdirSync('/sys/block')
      .filter((name) => name.startsWith('loop') && existsSync(`/sys/block/${name}/loop/backing_file`))
      .map((name) => readFileSync(`/sys/block/${name}/loop/backing_file`, 'utf8'))
      .filter(below),
    settings: changedSettings.map((name) => {
      const path = `/proc/sys/${name.replaceAll('.', '/')}`;
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    }),
    pods: run('ps', '-eo', 'args')
      .split('\n')
      .filter((line) => line.includes('containerd-shim') && line.includes('/run/terrain/')),
  };
}
