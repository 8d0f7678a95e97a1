/** What a command was given to read. */
import { existsSync, readFileSync } from 'node:fs';
import { parsePrefix } from '@terrain/api';
import { CommandError, ExitCode } from '../output/exit.ts';

const standardInput = 0;

/** The content of a file, or of standard input for `-`. */
export function readInput(file: string): string {
  try {
    return readFileSync(file === '-' ? standardInput : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, ExitCode.usage);
  }
}

/** Whether a word names a file rather than a workspace, whose names have neither dots nor slashes. */
export const isFile = (word: string): boolean => word === '-' || /[./]/.test(word) || existsSync(word);

/** Refuses options that name no range. */
export function requireRanges(ranges: readonly string[]): void {
  const wrong = ranges.find((range) => parsePrefix(range) === undefined);
  if (wrong !== undefined)
    throw new CommandError(`${wrong} is no range of addresses; write one such as 10.244.0.0/16.`, ExitCode.usage);
}
