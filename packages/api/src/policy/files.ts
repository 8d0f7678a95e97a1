import { stringify } from 'yaml';
import { admissionPolicies } from './all.ts';

const header = '# Generated from packages/api/src/policy by `npm run generate`. Do not edit.\n';

/** Files this generator owns: path from the root of the repository, and content. Made for an installation with default options. */
export function policyFiles(): ReadonlyMap<string, string> {
  return new Map(
    admissionPolicies().map((pair) => [
      `packages/api/policies/${pair[0].metadata.name}.yaml`,
      header + pair.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })).join('---\n'),
    ]),
  );
}
