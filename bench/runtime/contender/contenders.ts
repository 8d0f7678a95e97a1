import { join, resolve } from 'node:path';

/** One implementation of the toy controller. */
export interface Contender {
  readonly name: ContenderName;
  readonly command: readonly [program: string, ...args: string[]];
  /** Whether it can be made to wait for a Lease. */
  readonly canElect: boolean;
  /** Whether it does anything about deleted widgets. */
  readonly canDelete: boolean;
}

export type ContenderName = 'floor' | 'ours' | 'controller-runtime' | 'client-node';

/** In the order in which they run; the floor first, so that a broken set-up shows at the cheapest. */
export function contenders(goProgram: string): readonly Contender[] {
  const script = (folder: string): readonly [string, string] => [
    process.execPath,
    join(resolve(import.meta.dirname, '..'), folder, 'main.ts'),
  ];
  return [
    { name: 'floor', command: script('floor'), canElect: false, canDelete: false },
    { name: 'ours', command: script('ours'), canElect: true, canDelete: true },
    { name: 'controller-runtime', command: [goProgram], canElect: true, canDelete: true },
    { name: 'client-node', command: script('peer-client-node'), canElect: false, canDelete: true },
  ];
}
