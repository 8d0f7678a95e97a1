import { resolve } from 'node:path';
import { Option } from 'commander';

/** `--home DIR`, the same for every command that deals with an embedded cluster. */
export function homeOption(): Option {
  return new Option('--home <dir>', 'where the embedded cluster keeps its data')
    .env('TERRAIN_HOME')
    .default('.terrain')
    .argParser((directory: string) => resolve(directory));
}
