/** Reads our sources as text and tells who imports and exports what; enough for uniform code, with no compiler behind it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

interface Import {
  /** As written: `#store/store.ts`, `@terrain/api`, `./x.ts`, `node:fs`. */
  readonly specifier: string;
  /** Names taken; `*` for the whole module. */
  readonly names: readonly string[];
}

export interface Module {
  /** Path below the root, with forward slashes. */
  readonly file: string;
  readonly imports: readonly Import[];
  /** Names declared and exported here; re-exports are imports. A type that only names part of its own file's exports does not count. */
  readonly exports: readonly string[];
}

const sourceFolders = ['packages', 'scripts', 'bench'];

export function readModules(): Module[] {
  const files = sourceFolders.flatMap((folder) => listSources(join(root, folder)));
  return files.map((file) => parseModule(relative(root, file), readFileSync(file, 'utf8')));
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(\*(?:\s+as\s+\w+)?|[\w$]+|(?:[\w$]+\s*,\s*)?\{[^}]*\})\s+from\s+'([^']+)'/g;
const bareImport = /(?:^|\n)\s*import\s+'([^']+)'/g;
const dynamicImport = /\bimport\(\s*'([^']+)'\s*\)/g;
const declaration = /(?:^|\n)export\s+(?:declare\s+)?(?:async\s+)?(?:const|let|function\*?|class|abstract class)\s+([\w$]+)/g;
const typeDeclaration = /(?:^|\n)export\s+(?:declare\s+)?(?:type|interface)\s+([\w$]+)/g;
const localList = /(?:^|\n)export\s+(?:type\s+)?\{([^}]*)\}\s*;/g;

export function parseModule(file: string, source: string): Module {
  const imports: Import[] = [];
  for (const [, clause = '', specifier = ''] of source.matchAll(statement)) imports.push({ specifier, names: namesOf(clause) });
  for (const [, specifier = ''] of source.matchAll(bareImport)) imports.push({ specifier, names: [] });
  for (const [, specifier = ''] of source.matchAll(dynamicImport)) imports.push({ specifier, names: ['*'] });
  const exports = [...source.matchAll(declaration)].map(([, name = '']) => name);
  for (const [, name = ''] of source.matchAll(typeDeclaration)) if (countOf(name, source) === 1) exports.push(name);
  for (const [, list = ''] of source.matchAll(localList)) exports.push(...namesOf(`{${list}}`));
  return { file, imports, exports };
}

const countOf = (name: string, source: string): number =>
  source.match(new RegExp(`\\b${name.replaceAll('$', '\\$')}\\b`, 'g'))?.length ?? 0;

function namesOf(clause: string): string[] {
  if (clause.startsWith('*')) return ['*'];
  const braces = clause.indexOf('{');
  if (braces === -1) return ['default'];
  return clause
    .slice(braces + 1, clause.lastIndexOf('}'))
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((name) => name !== '');
}

/** The file an import leads to, or undefined when it leaves our sources. */
export function targetOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(from), specifier);
  const owner = /^packages\/[^/]+/.exec(from)?.[0];
  if (specifier.startsWith('#') && owner !== undefined) return join(owner, 'src', specifier.slice(1));
  const [, name, testing] = /^@terrain\/(\w+)(\/testing)?$/.exec(specifier) ?? [];
  if (name === undefined) return undefined;
  return testing === undefined ? `packages/${name}/src/index.ts` : `packages/${name}/src/testing/index.ts`;
}
