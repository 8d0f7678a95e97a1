import type { WorkspaceSpec } from '#workspace/schema.ts';
import { addresses, hardwareAddresses, knownNetworks, oneCardPerNetwork } from './card-rules.ts';
import { capabilities, contentPaths, mounts, ports } from './container-rules.ts';
import { imageSources } from './image-rules.ts';
import { type Lab, readLab } from './lab.ts';
import { diskSizes, imageTemplates, readiness } from './machine-rules.ts';
import { repeatedNames } from './names.ts';
import { clusterRanges, gateways, nameservers, overlapping, ranges, type TopologyOptions } from './network-rules.ts';
import type { TopologyProblem } from './problem.ts';
import { routes } from './route-rules.ts';
import { runnerReach } from './runner-rules.ts';

/** Everything that must hold in a lab. All are judged, whatever the others say. */
const rules: readonly ((lab: Lab, options: TopologyOptions) => readonly TopologyProblem[])[] = [
  repeatedNames,
  ranges,
  overlapping,
  clusterRanges,
  gateways,
  nameservers,
  routes,
  knownNetworks,
  oneCardPerNetwork,
  addresses,
  hardwareAddresses,
  runnerReach,
  diskSizes,
  imageTemplates,
  imageSources,
  readiness,
  contentPaths,
  mounts,
  ports,
  capabilities,
];

/**
 * Every problem of a lab that comes from how its parts fit together.
 *
 * Guarantees: all problems at once, each naming its field, the value and the rule with what to do; the same lab gives the same problems
 * in the same order. Never throws, also not on what no schema has seen: fields that are missing or of the wrong type are left to the
 * schema. Takes time in proportion to the size of the lab, apart from sorting its networks.
 * `path` is where the spec stands in its manifest: `spec`, or `spec.workspace` in a WorkspaceTemplate.
 */
export function judgeTopology(spec: WorkspaceSpec, options: TopologyOptions = {}, path = 'spec'): readonly TopologyProblem[] {
  const lab = readLab(spec, path);
  return rules.flatMap((rule) => rule(lab, options));
}
