import { join, resolve } from 'node:path';
import type { BenchContext } from '../../lib/bench.ts';
import { timed } from '../../lib/run-command.ts';

const source = resolve(import.meta.dirname, '../peer-go');

/**
 * Compiles the Go contender into a directory and returns its path. Go's own build cache makes the second time quick; the flags are those of the
 * embedded Kubernetes, with which it shares most packages.
 */
export async function buildGoContender(directory: string, { signal, log }: BenchContext): Promise<string> {
  const program = join(directory, 'peer-go');
  log('building the Go contender (a few minutes the first time)');
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w'];
  await timed('go', ['build', ...flags, '-o', program, '.'], {
    cwd: source,
    env: { GOTOOLCHAIN: 'local', CGO_ENABLED: '0' },
    signal,
  });
  return program;
}
