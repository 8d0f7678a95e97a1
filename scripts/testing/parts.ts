/** What `npm test` runs, in order. Cheap and telling first. */
export interface Part {
  readonly name: string;
  readonly purpose: string;
  /** The program and its arguments, found through node_modules/.bin. */
  readonly command: readonly string[];
  /** Groups of embedded binaries that must be there before it starts. */
  readonly needs?: readonly string[];
}

function tests(...patterns: readonly string[]): string[] {
  // One process for all files of a part: they share one throw-away cluster and its start-up time.
  return ['node', '--test', '--test-isolation=none', '--test-reporter=./scripts/testing/reporter.ts', ...patterns];
}

export const parts: readonly Part[] = [
  { name: 'types', purpose: 'the compiler, strict', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'lint', purpose: 'formatting and lint rules', command: ['biome', 'ci', '--colors=off', '.'] },
  {
    name: 'source',
    purpose: 'import directions, dead exports, generated files, the scripts themselves',
    command: tests('scripts/**/*.test.ts'),
  },
  {
    name: 'unit',
    purpose: 'everything that needs nothing but Node',
    command: tests('packages/*/src/**/*.test.ts', 'bench/**/*.test.ts'),
  },
  {
    name: 'api',
    purpose: 'CRDs, policies and roles on a real API server',
    command: tests('packages/api/test/**/*.test.ts'),
    needs: ['core'],
  },
  {
    name: 'runtime',
    purpose: 'the controller runtime on a real API server',
    command: tests('packages/runtime/test/**/*.test.ts'),
    needs: ['core'],
  },
  {
    name: 'simulator',
    purpose: 'CDI, KubeVirt and snapshots as documented',
    command: tests('packages/embedded/test/simulator/**/*.test.ts'),
    needs: ['core'],
  },
  {
    name: 'operator',
    purpose: 'the controllers on a real API server with the simulated platform',
    command: tests('packages/operator/test/**/*.test.ts'),
    needs: ['core'],
  },
  {
    name: 'embedded',
    purpose: 'starting, stopping and bad days of the embedded Kubernetes',
    command: tests('packages/embedded/test/apiserver/**/*.test.ts'),
    needs: ['core', 'sim'],
  },
  {
    name: 'cli',
    purpose: 'the terrain command as a person runs it',
    command: tests('packages/cli/test/**/*.test.ts'),
    needs: ['core', 'sim'],
  },
  {
    name: 'csi',
    purpose: 'the storage driver: crashes, mounts, the tests all drivers share, and the programs that use it',
    command: tests('packages/embedded/test/csi/**/*.test.ts'),
    needs: ['core', 'storage', 'csi-sanity'],
  },
];
