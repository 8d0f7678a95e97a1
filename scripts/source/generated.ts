import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
// Not through the package: programs that import it would carry the writer of YAML along.
import { crdFiles } from '../../packages/api/src/crd/files.ts';
import { policyFiles } from '../../packages/api/src/policy/files.ts';
import { roleFiles } from '../../packages/api/src/rbac/files.ts';
import { referenceFiles } from '../../packages/api/src/reference/files.ts';

/** Each generator is pure: it returns paths from the root of the repository, and contents. A folder it writes to is wholly its own. */
const generators: readonly (() => ReadonlyMap<string, string>)[] = [crdFiles, policyFiles, roleFiles, referenceFiles];

/** A checked-in file that is not what the definitions in packages/api say. */
export interface StaleFile {
  /** From the root of the repository. */
  readonly path: string;
  /** What it should hold; undefined when it should not be there. */
  readonly content: string | undefined;
}

/** Every generated file of a repository that is missing, differs, or is left over from a definition that is gone. */
export function staleFiles(root: string): StaleFile[] {
  const wanted = new Map(generators.flatMap((generate) => [...generate()]));
  const folders = new Set([...wanted.keys()].map((path) => dirname(path)));
  const leftOver = [...folders].flatMap((folder) => listed(root, folder)).filter((path) => !wanted.has(path));
  return [
    ...[...wanted]
      .filter(([path, content]) => current(join(root, path)) !== content)
      .map(([path, content]) => ({ path, content })),
    ...leftOver.map((path) => ({ path, content: undefined })),
  ];
}

export function staleSentence({ path, content }: StaleFile): string {
  const what =
    content === undefined ? 'belongs to no definition in packages/api' : 'is not what the definitions in packages/api say';
  return `${path} ${what}: run npm run generate and commit the result.`;
}

function listed(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
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
