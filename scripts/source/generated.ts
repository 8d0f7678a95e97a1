import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
// Not through the package: programs that import it would carry the writer of YAML along.
import { crdFiles } from '../../packages/api/src/crd/files.ts';
import { policyFiles } from '../../packages/api/src/policy/files.ts';
import { roleFiles } from '../../packages/api/src/rbac/files.ts';
import { referenceFiles } from '../../packages/api/src/reference/files.ts';

/** Each generator is pure: it returns paths from the root of the repository, and contents. A folder it writes to is its own, and each file says where it comes from. */
const generators: readonly (() => ReadonlyMap<string, string>)[] = [crdFiles, policyFiles, roleFiles, referenceFiles];

/** What every generated file says, and only such a file is ever removed: beside it may lie what somebody wrote. */
const mark = /Generated from packages\/api\/src\S* by `npm run generate`\. Do not edit\./;

/** A checked-in file that is not what the definitions in packages/api say. */
export interface StaleFile {
  /** From the root of the repository. */
  readonly path: string;
  /** What it should hold; undefined when it should not be there. */
  readonly content: string | undefined;
  /** Whether it is left over but not made by a generator, so that only its author may remove it. */
  readonly isForeign?: true;
}

/** Every generated file of a repository that is missing, differs, or is left over from a definition that is gone. */
export function staleFiles(root: string): StaleFile[] {
  const wanted = new Map(generators.flatMap((generate) => [...generate()]));
  const folders = new Set([...wanted.keys()].map((path) => dirname(path)));
  const others = [...folders].flatMap((folder) => listed(root, folder)).filter((path) => !wanted.has(path));
  return [
    ...[...wanted]
      .filter(([path, content]) => current(join(root, path)) !== content)
      .map(([path, content]) => ({ path, content })),
    ...others.map((path): StaleFile => {
      const leftOver = { path, content: undefined };
      return mark.test(current(join(root, path)) ?? '') ? leftOver : { ...leftOver, isForeign: true };
    }),
  ];
}

export function staleSentence({ path, content, isForeign }: StaleFile): string {
  if (isForeign) return `${path} is in a folder of generated files and was not generated: move it elsewhere.`;
  const what =
    content === undefined ? 'belongs to no definition in packages/api' : 'is not what the definitions in packages/api say';
  return `${path} ${what}: run npm run generate and commit the result.`;
}

/** Files of the kinds that are generated; what an editor or a file manager leaves is nobody's business here. */
function listed(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[^.].*\.(yaml|md)$/.test(entry.name))
      .map(({ name }) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
