import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../lib/bench.ts';
import { compete, type Result } from './compete.ts';
import { buildGoContender } from './contender/build-go.ts';
import { contenders } from './contender/contenders.ts';
import { rowsOf } from './rows.ts';
import { sizesFrom } from './sizes.ts';

/**
 * One toy controller, a Widget into a ConfigMap and a status, written four times: with nothing but sockets (the floor), on @terrain/runtime, on
 * controller-runtime in Go, and on the informers of @kubernetes/client-node. Sizes come from the environment: see sizesFrom.
 */
export const runtime: Bench = {
  name: 'runtime',
  summary: 'a toy controller on our runtime, against bare requests, controller-runtime and client-node (ten minutes)',
  async run(context) {
    const sizes = sizesFrom(process.env);
    const directory = mkdtempSync(join(tmpdir(), 'terrain-bench-'));
    try {
      const results: Result[] = [];
      for (const contender of contenders(await buildGoContender(directory, context)))
        results.push(await compete(contender, sizes, context));
      return rowsOf(results, sizes);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};
