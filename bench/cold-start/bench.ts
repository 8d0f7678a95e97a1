import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { groups } from '@terrain/embedded';
import type { Bench, BenchContext, Row } from '../lib/bench.ts';
import { timed } from '../lib/run-command.ts';
import { ratioOfWork } from './ratio.ts';

const root = resolve(import.meta.dirname, '../..');
/** What a plain `npm start` runs; other groups are built by those who ask for them. */
const startGroups = [groups.core, groups.sim];

/**
 * Everything is compiled twice, from nothing: about half an hour on two cores. Both run at the same time, so that they get the same share of the
 * machine whatever else it does, and the ratio holds also on a busy one.
 */
export const coldStart: Bench = {
  name: 'cold-start',
  summary: 'npm start in a fresh clone with empty caches, against the bare go build and npm ci (half an hour)',
  async run(context) {
    const directory = mkdtempSync(join(tmpdir(), 'terrain-cold-'));
    try {
      const [floor, ours] = await Promise.all([
        bareBuild(join(directory, 'floor'), context),
        freshClone(join(directory, 'ours'), context),
      ]);
      const bare = floor.reduce((sum, { value }) => sum + value, 0);
      return [
        ...floor,
        ours,
        { name: 'work of cold npm start / bare build + npm ci', value: ratioOfWork(ours.value, bare), unit: 'ratio', goal: 1.25 },
      ];
    } finally {
      // Go makes its module cache read-only.
      execFileSync('chmod', ['-R', 'u+w', directory]);
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function bareBuild(directory: string, { signal, log }: BenchContext): Promise<Row[]> {
  const clone = cloneInto(directory);
  const rows: Row[] = [];
  for (const group of startGroups) {
    log(`bare go build of ${group.name}`);
    const target = join(directory, 'bin', group.name);
    mkdirSync(target, { recursive: true });
    const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', `-tags=${group.tags.join(',')}`, '-ldflags', '-s -w'];
    const seconds = await timed('go', ['build', ...flags, '-o', `${target}/`, ...Object.keys(group.programs)], {
      cwd: join(clone, 'packages/embedded/go', group.module),
      env: { ...emptyGoCaches(directory), GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOGC: '400' },
      signal,
    });
    rows.push({ name: `bare go build of ${group.name}`, value: seconds, unit: 's' });
  }
  log('npm ci');
  const install = await timed('npm', ['ci', '--no-audit', '--no-fund', `--cache=${join(directory, 'npm')}`], {
    cwd: clone,
    signal,
  });
  return [...rows, { name: 'npm ci', value: install, unit: 's' }];
}

async function freshClone(directory: string, { signal, log }: BenchContext): Promise<Row> {
  log('npm start in a fresh clone');
  const clone = cloneInto(directory);
  const env = {
    ...emptyGoCaches(directory),
    TERRAIN_CACHE: join(directory, 'cache'),
    TERRAIN_HOME: join(directory, 'home'),
    npm_config_cache: join(directory, 'npm'),
  };
  const seconds = await timed('npm', ['start', '--', '--exit-when-ready'], { cwd: clone, env, until: 'API server (', signal });
  return { name: 'cold npm start, API ready', value: seconds, unit: 's' };
}

function cloneInto(directory: string): string {
  mkdirSync(directory, { recursive: true });
  execFileSync('git', ['clone', '--quiet', root, join(directory, 'clone')]);
  return join(directory, 'clone');
}

const emptyGoCaches = (directory: string): NodeJS.ProcessEnv => ({
  GOCACHE: join(directory, 'gocache'),
  GOMODCACHE: join(directory, 'gomodcache'),
});
