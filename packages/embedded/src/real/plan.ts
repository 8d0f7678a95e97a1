import { missingGroups } from '#binary/ensure.ts';
import { type GroupName, groups, nodeGroupNames } from '#binary/group.ts';
import { EmbeddedError } from '#embedded-error.ts';
import { missingPackages, nodeObstacle } from './packages.ts';

/** What the first start of a real node has to do before it can start. */
export interface RealNodePlan {
  readonly groups: readonly GroupName[];
  readonly packages: readonly string[];
}

/** Looks only. Fails with what to do about it when this user cannot have a real node on this machine. */
export async function planRealNode(options: { readonly binaries?: string | undefined } = {}): Promise<RealNodePlan> {
  const packages = missingPackages();
  const obstacle = nodeObstacle(packages);
  if (obstacle !== undefined) throw new EmbeddedError('NodeImpossible', obstacle);
  return { packages, groups: options.binaries === undefined ? await missingGroups(['core', ...nodeGroupNames]) : [] };
}

/** The same for people, with how long it takes; undefined when there is nothing to do first. */
export function describePlan({ groups: missing, packages }: RealNodePlan): string | undefined {
  const minutes = Math.max(1, Math.round(missing.reduce((sum, name) => sum + groups[name].coldBuildMs, 0) / 60_000));
  const parts = [
    ...(missing.length > 0
      ? [
          `build ${missing.join(', ')}, which takes about ${minutes === 1 ? 'a minute' : `${minutes} minutes`} on two cores with nothing cached`,
        ]
      : []),
    ...(packages.length > 0 ? [`install the Debian packages ${packages.join(', ')}`] : []),
  ];
  return parts.length === 0 ? undefined : `A real node, the first time: ${parts.join(', and ')}.`;
}
