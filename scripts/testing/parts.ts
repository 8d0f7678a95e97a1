import { globSync } from 'node:fs';
import type { GroupName } from '@terrain/embedded';

/** One program of `npm test`. */
export interface Part {
  readonly name: string;
  readonly purpose: string;
  /** The program and its arguments, found through node_modules/.bin. */
  readonly command: readonly string[];
  /** The files of tests it runs, as patterns; none for a part that is no test runner. */
  readonly tests?: readonly string[];
  /** What is left out of them. */
  readonly except?: readonly string[];
  /** Groups of embedded binaries that must be there before it starts. */
  readonly needs?: readonly GroupName[];
  /** Its groups take long to build: it runs when they are there already, when it is asked for by name, and in CI. */
  readonly isOnlyWhenBuilt?: true;
}

/** One process for all files of a part: they share one throw-away cluster and its start-up time. */
const nodeTest = ['node', '--test', '--test-isolation=none', '--test-reporter=./scripts/testing/reporter.ts'];

const machineTests = 'packages/operator/test/apiserver/{virtualmachine,vm-*,workspace*}.test.ts';

/**
 * Cheap and telling first, then the long ones: two run at a time, and a long one that starts last would run alone. Those with a real node come early
 * and apart: a machine has one, so they run one after the other.
 */
export const parts: readonly Part[] = [
  { name: 'types', purpose: 'the compiler, strict', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'lint', purpose: 'formatting and lint rules', command: ['biome', 'ci', '--colors=off', '.'] },
  {
    name: 'source',
    purpose: 'import directions, dead exports, generated files, the scripts themselves',
    command: nodeTest,
    tests: ['scripts/**/*.test.ts'],
  },
  {
    name: 'unit',
    purpose: 'everything that needs nothing but Node',
    command: nodeTest,
    tests: ['packages/*/src/**/*.test.ts', 'bench/**/*.test.ts'],
  },
  {
    name: 'api',
    purpose: 'CRDs, policies and roles on a real API server',
    command: nodeTest,
    tests: ['packages/api/test/**/*.test.ts'],
    needs: ['core'],
  },
  {
    name: 'imports',
    purpose: 'disk images with the real CDI and storage driver, and what the simulator must do as they do',
    command: nodeTest,
    tests: ['packages/embedded/test/real/imports.test.ts'],
    needs: ['core', 'node', 'node-tools', 'multus', 'kube-router', 'coredns', 'storage', 'cdi', 's3'],
    isOnlyWhenBuilt: true,
  },
  {
    name: 'faults',
    purpose: 'disk images through crashes, restarts, stale caches and rival operators',
    command: nodeTest,
    tests: ['packages/operator/test/faults/*.test.ts'],
    needs: ['core'],
  },
  {
    name: 'machines',
    purpose: 'virtual machines and workspaces on a real API server with the simulated platform',
    command: nodeTest,
    tests: [machineTests],
    needs: ['core'],
  },
  {
    name: 'real',
    purpose: 'a real node: pods, networks, volumes, workspaces, crashes, and what is left of it on the machine',
    command: nodeTest,
    tests: ['packages/embedded/test/real/{bridge,cleanup,network,node,workspace}.test.ts'],
    needs: ['core', 'node', 'node-tools', 'multus', 'kube-router', 'coredns', 'storage'],
    isOnlyWhenBuilt: true,
  },
  {
    name: 'images',
    purpose: 'disk images and their queue on a real API server with the simulated platform',
    command: nodeTest,
    tests: ['packages/operator/test/apiserver/*.test.ts'],
    except: [machineTests],
    needs: ['core'],
  },
  {
    name: 'runtime',
    purpose: 'the controller runtime on a real API server',
    command: nodeTest,
    tests: ['packages/runtime/test/**/*.test.ts'],
    needs: ['core'],
  },
  {
    name: 'up',
    purpose: 'terrain up --real: the examples downloaded, cloned and run for real, stopped and started again',
    command: nodeTest,
    tests: ['packages/embedded/test/real/up.test.ts'],
    needs: ['core', 'node', 'node-tools', 'multus', 'kube-router', 'coredns', 'storage', 'cdi', 's3'],
    isOnlyWhenBuilt: true,
  },
  {
    name: 'cli',
    purpose: 'the terrain command as a person runs it',
    command: nodeTest,
    tests: ['packages/cli/test/**/*.test.ts'],
    needs: ['core', 'sim'],
  },
  {
    name: 'embedded',
    purpose: 'starting, stopping and bad days of the embedded Kubernetes',
    command: nodeTest,
    tests: ['packages/embedded/test/apiserver/**/*.test.ts'],
    needs: ['core', 'sim'],
  },
  {
    name: 'simulator',
    purpose: 'CDI, KubeVirt and snapshots as documented',
    command: nodeTest,
    tests: ['packages/embedded/test/simulator/**/*.test.ts'],
    needs: ['core'],
  },
  {
    name: 'csi',
    purpose: 'the storage driver: crashes, mounts, the tests all drivers share, and the programs that use it',
    command: nodeTest,
    tests: ['packages/embedded/test/csi/**/*.test.ts'],
    needs: ['core', 'storage', 'csi-sanity'],
    isOnlyWhenBuilt: true,
  },
];

/** The files of tests of a part, in order. */
export function testFiles({ tests = [], except = [] }: Part): string[] {
  return globSync([...tests], { exclude: [...except] }).sort();
}
