import { Command } from 'commander';
import { consoleInfoCommand } from './console-info.ts';
import { listCommand } from './list.ts';
import { startCommand, stopCommand } from './power.ts';
import { resetCommand } from './reset.ts';
import { waitCommand } from './wait.ts';

/** Everything about machines. */
export function vmCommand(): Command {
  const group = new Command('vm').description('machines: list, wait for, reach, start, stop or reset them');
  for (const command of [listCommand, waitCommand, consoleInfoCommand, startCommand, stopCommand, resetCommand])
    group.addCommand(command().exitOverride());
  return group;
}
