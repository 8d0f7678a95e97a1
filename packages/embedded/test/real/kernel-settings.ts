import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = '/proc/sys';

/** What the kernel counts or measures there, rather than being told. Reading `stat_refresh` is an order. */
const volatile = [
  /^fs\/(dentry-state|inode-state|.*-nr|quota\/.*|binfmt_misc\/.*)$/,
  /^kernel\/(ns_last_pid|random\/.*|pty\/nr|tainted|perf_event_max_sample_rate|sched_domain\/.*)$/,
  /^net\/netfilter\/nf_conntrack_(count|buckets)$/,
  /^vm\/stat_refresh$/,
];

/** Settings of one interface come and go with it; those of `all` and `default` are the machine's. */
const ofAnInterface = /^net\/ipv[46]\/(conf|neigh)\/(?!all\/|default\/)/;

/** Every setting of the kernel that can be read, that stays as it is by itself, and that is of no single interface. */
export function kernelSettings(): ReadonlyMap<string, string> {
  return new Map(settingsBelow('').filter(([name]) => !ofAnInterface.test(name) && !volatile.some((each) => each.test(name))));
}

/** The names whose values are not the same, in order. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name)).sort();
}

function settingsBelow(directory: string): (readonly [string, string])[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const name = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (volatile.some((each) => each.test(name))) return [];
    if (entry.isDirectory()) return settingsBelow(name);
    try {
      return [[name, readFileSync(join(root, name), 'utf8')] as const];
    } catch {
      return []; // can only be written, or belongs to an interface that has gone meanwhile
    }
  });
}
