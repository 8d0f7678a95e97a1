import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** The facts without which a figure means nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  /** Work of others at the start; above the number of cores the figures are upper bounds. */
  readonly loadAverage: number;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

export function versions(): Record<string, string> {
  const own = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  return { terrain: own.version, node: process.versions.node, go: goVersion() };
}

function goVersion(): string {
  try {
    return execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim();
  } catch {
    return 'none';
  }
}
