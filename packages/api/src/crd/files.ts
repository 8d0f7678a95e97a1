import { stringify } from 'yaml';
import { kinds } from '#kinds.ts';
import { crdOf } from './crd.ts';

const header = '# Generated from packages/api/src by `npm run generate`. Do not edit.\n';

/** Files this generator owns: path from the root of the repository, and content. */
export function crdFiles(): ReadonlyMap<string, string> {
  return new Map(
    kinds.map((definition) => [
      `packages/api/crds/${definition.group}_${definition.plural}.yaml`,
      header + stringify(crdOf(definition), { aliasDuplicateObjects: false, lineWidth: 0 }),
    ]),
  );
}
