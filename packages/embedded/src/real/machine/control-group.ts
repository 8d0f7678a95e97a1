import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The group below which all pods of a real node run, in every hierarchy. */
export const controlGroup = 'terrain';
const root = '/sys/fs/cgroup';

/** Makes the group that kubelet wants to find. Nothing is mounted and no existing group is changed. */
export async function makeControlGroups(): Promise<void> {
  for (const hierarchy of await hierarchies()) await mkdir(join(hierarchy, controlGroup), { recursive: true });
}

/** All processes of pods. */
export async function podProcesses(): Promise<number[]> {
  const found = new Set<number>();
  for (const group of await ourGroups()) {
    const text = await readFile(join(group, 'cgroup.procs'), 'utf8').catch(() => '');
    for (const line of text.split('\n')) if (Number(line) > 1) found.add(Number(line));
  }
  return [...found];
}

/** Removes the groups, which must be empty of processes; returns how many there were. */
export async function removeControlGroups(): Promise<number> {
  const groups = await ourGroups();
  for (const group of groups) await rmdir(group).catch(() => undefined);
  return groups.length;
}

/** Ours in all hierarchies, each after those below it. */
async function ourGroups(): Promise<string[]> {
  const tops = (await hierarchies()).map((hierarchy) => join(hierarchy, controlGroup)).filter((top) => existsSync(top));
  return (await Promise.all(tops.map(groupsBelow))).flat();
}

async function groupsBelow(directory: string): Promise<string[]> {
  const children = (await readdir(directory, { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory());
  const below = await Promise.all(children.map(({ name }) => groupsBelow(join(directory, name))));
  return [...below.flat(), directory];
}

/** One in version 2; one per controller in version 1, where several names may be links to the same. */
async function hierarchies(): Promise<string[]> {
  if (existsSync(join(root, 'cgroup.controllers'))) return [root];
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name));
}
