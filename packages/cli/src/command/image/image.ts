import { Command } from 'commander';
import { cancelCommand } from './cancel.ts';
import { listCommand } from './list.ts';
import { policyCommand } from './policy.ts';
import { pruneCommand } from './prune.ts';
import { queueCommand } from './queue.ts';
import { syncCommand } from './sync.ts';
import { waitCommand } from './wait.ts';

/** Everything about disk images and the queue they are downloaded through. */
export function imageCommand(): Command {
  const group = new Command('image').description(
    'disk images: list, follow, wait for, retry or cancel their downloads, clear away',
  );
  for (const command of [listCommand, queueCommand, waitCommand, syncCommand, cancelCommand, pruneCommand, policyCommand])
    group.addCommand(command().exitOverride());
  return group;
}
