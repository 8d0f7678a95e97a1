import { missingGroups } from '#binary/ensure.ts';
import { type GroupName, groups, realGroupNames } from '#binary/group.ts';
import { EmbeddedError } from '#embedded-error.ts';
import { settingsObstacle } from './machine/sysctl.ts';
import { missingPackages, nodeObstacle } from './packages.ts';
import { hasDebianRoot } from './platform/debian-root.ts';

/** What the first start of a real node has to do before it can start. */
export interface RealNodePlan {
  readonly groups: readonly GroupName[];
  readonly packages: readonly string[];
  /** Whether the images of CDI and what they are made from are still to be made. */
  readonly needsImages: boolean;
}

/** Looks only. Fails with what to do about it when this user cannot have a real node on this machine. */
export async function planRealNode(options: { readonly binaries?: string | undefined } = {}): Promise<RealNodePlan> {
  const packages = missingPackages();
  const obstacle = nodeObstacle(packages);
  if (obstacle !== undefined) throw new EmbeddedError('NodeImpossible', obstacle);
  const setting = await settingsObstacle();
  if (setting !== undefined) throw new EmbeddedError('NodeImpossible', `No real node can be started: ${setting}.`);
  const missing = options.binaries === undefined ? await missingGroups(['core', ...realGroupNames]) : [];
  return { packages, groups: missing, needsImages: missing.includes('cdi') || !hasDebianRoot() };
}

/** The same for people, with how long it takes; undefined when there is nothing to do first. */
export function describePlan({ groups: missing, packages, needsImages }: RealNodePlan): string | undefined {
  const minutes = Math.max(1, Math.round(missing.reduce((sum, name) => sum + groups[name].coldBuildMs, 0) / 60_000));
  const parts = [
    ...(missing.length > 0
      ? [
          `build ${missing.join(', ')}, which takes about ${minutes === 1 ? 'a minute' : `${minutes} minutes`} on two cores with nothing cached`,
        ]
      : []),
    ...(packages.length > 0 ? [`install the Debian packages ${packages.join(', ')}`] : []),
    ...(needsImages ? ['make the images of CDI from Debian packages, which takes a minute or two'] : []),
  ];
  return parts.length === 0 ? undefined : `A real node, the first time: ${parts.join(', and ')}.`;
}
