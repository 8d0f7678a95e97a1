import { resolve } from 'node:path';
import { Option } from 'commander';

/** `$TERRAIN_HOME`, else `.terrain` in the working directory. */
export function defaultHome(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(environment.TERRAIN_HOME || '.terrain');
}

/** `--home DIR`, the same for every command that deals with an embedded cluster. */
export function homeOption(): Option {
  return new Option('--home <dir>', 'where the embedded cluster keeps its data')
    .default(defaultHome(), '$TERRAIN_HOME, else .terrain')
    .argParser((directory: string) => resolve(directory));
}
