import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Module, parseModule, readModules, targetOf } from './modules.ts';

/** Which of our packages each package may import outside its tests. The picture of docs/architecture.md, as data. */
const allowed: Record<string, readonly string[]> = {
  api: [],
  runtime: [],
  operator: ['api', 'runtime'],
  workshop: ['api'],
  gateway: ['api', 'runtime'],
  embedded: ['api', 'runtime'],
  cli: ['api', 'runtime', 'embedded', 'workshop', 'gateway'],
};

const modules = readModules();

const isTest = (file: string): boolean => /\.test\.ts$|^packages\/[^/]+\/test\/|\/src\/testing\//.test(file);
const packageOf = (file: string): string | undefined => /^packages\/([^/]+)\//.exec(file)?.[1];

function breaches(all: readonly Module[]): string[] {
  const found: string[] = [];
  for (const { file, imports } of all) {
    const from = packageOf(file);
    if (from === undefined) continue;
    for (const { specifier } of imports) {
      const target = targetOf(file, specifier);
      const to = target === undefined ? undefined : packageOf(target);
      if (to !== undefined && to !== from && !specifier.startsWith('@terrain/'))
        found.push(`${file} reaches into ${target}; import @terrain/${to} instead`);
      if (isTest(file)) continue;
      if (to !== undefined && to !== from && !(allowed[from] ?? []).includes(to))
        found.push(`${file} imports @terrain/${to}, which ${from} must not know`);
      if (target !== undefined && isTest(target)) found.push(`${file} is product code and imports the test code ${target}`);
      if (specifier === '@kubernetes/client-node' && file !== 'packages/runtime/src/transport/kubeconfig.ts') {
        found.push(`${file} imports @kubernetes/client-node; only transport/kubeconfig.ts may, and lazily`);
      }
    }
  }
  return found;
}

/** Exports that no other file takes. Entry points and package roots are what others are meant to take. */
function deadExports(all: readonly Module[]): string[] {
  const used = new Set<string>();
  for (const { file, imports } of all) {
    for (const { specifier, names } of imports) {
      const target = targetOf(file, specifier);
      if (target !== undefined) for (const name of names) used.add(`${target} ${name}`);
    }
  }
  const isRoot = (file: string): boolean => /^packages\/[^/]+\/src\/(testing\/)?index\.ts$/.test(file);
  return all
    .filter(({ file }) => !isRoot(file))
    .flatMap(({ file, exports }) =>
      exports.filter((name) => !used.has(`${file} ${name}`) && !used.has(`${file} *`)).map((name) => `${file}: ${name}`),
    );
}

test('packages import only what the architecture allows', () => {
  assert.deepEqual(breaches(modules), []);
});

test('programs in plain JavaScript are read too', () => {
  assert.deepEqual(
    modules.find(({ file }) => file === 'packages/operator/src/main.mjs')?.imports.map(({ specifier }) => specifier),
    ['node:module', 'node:v8', './program.ts'],
  );
});

test('a forbidden direction is found', () => {
  const module = parseModule('packages/api/src/x.ts', "import { Connection } from '@terrain/runtime';\n");
  assert.deepEqual(breaches([module]), ['packages/api/src/x.ts imports @terrain/runtime, which api must not know']);
});

test('product code that imports test code is found', () => {
  const module = parseModule('packages/cli/src/x.ts', "import { testCluster } from '@terrain/embedded/testing';\n");
  assert.deepEqual(breaches([module]), [
    'packages/cli/src/x.ts is product code and imports the test code packages/embedded/src/testing/index.ts',
  ]);
});

test('every export is used by another file', () => {
  assert.deepEqual(deadExports(modules), []);
});

test('an export nobody takes is found', () => {
  const lonely = parseModule('packages/api/src/a.ts', 'export const used = 1;\nexport function unused() {}\n');
  const reader = parseModule('packages/api/src/b.ts', "import { used } from './a.ts';\n");
  assert.deepEqual(deadExports([lonely, reader]), ['packages/api/src/a.ts: unused']);
});

test('all forms of import and export are read', () => {
  const source = [
    "import type { A, type B } from './a.ts';",
    "import * as all from '#b/c.ts';",
    "import main, { side as other } from '@terrain/api';",
    "import './effect.ts';",
    "export { D, type E } from './d.ts';",
    "const lazy = await import('./lazy.ts');",
    'export const f = 1;',
    'export async function g() {}',
    'export type H = string;',
    'export interface Options {}',
    'function uses(options: Options) {}',
    'export { i, j as k };',
  ].join('\n');
  assert.deepEqual(parseModule('packages/x/src/y.ts', source), {
    file: 'packages/x/src/y.ts',
    imports: [
      { specifier: './a.ts', names: ['A', 'B'] },
      { specifier: '#b/c.ts', names: ['*'] },
      { specifier: '@terrain/api', names: ['side'] },
      { specifier: './d.ts', names: ['D', 'E'] },
      { specifier: './effect.ts', names: [] },
      { specifier: './lazy.ts', names: ['*'] },
    ],
    exports: ['f', 'g', 'H', 'i', 'j'],
  });
});
