import { Command } from 'commander';
import { deleteCommand } from './delete.ts';
import { listCommand } from './list.ts';
import { topologyCommand } from './topology.ts';
import { treeCommand } from './tree.ts';
import { validateCommand } from './validate.ts';
import { waitCommand } from './wait.ts';

/** Everything about labs: before they are applied, while they run, and when they go. */
export function workspaceCommand(): Command {
  const group = new Command('workspace').description(
    'labs: check and draw them before they are applied, follow, wait for, delete them',
  );
  for (const command of [listCommand, treeCommand, waitCommand, validateCommand, topologyCommand, deleteCommand])
    group.addCommand(command().exitOverride());
  return group;
}
