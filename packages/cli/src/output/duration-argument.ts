import { InvalidArgumentError } from 'commander';
import { parseDuration } from './duration.ts';

/** Reads the value of an option such as `--timeout 90s`; anything else is refused with what would be right. */
export function durationArgument(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('Write a duration such as 90s, 10m or 1h30m.');
  return ms;
}
