import { stringify } from 'yaml';
import { peopleRoles } from './roles.ts';

const header = '# Generated from packages/api/src/rbac by `npm run generate`. Do not edit.\n';

/** Files this generator owns: path from the root of the repository, and content. */
export function roleFiles(): ReadonlyMap<string, string> {
  return new Map(
    peopleRoles().map((role) => [
      `packages/api/roles/${role.metadata.name}.yaml`,
      header + stringify(role, { aliasDuplicateObjects: false, lineWidth: 0 }),
    ]),
  );
}
