import type { Command } from 'commander';
import { homeOption } from './home.ts';

/** Which cluster is meant. */
export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly home: string;
}

/** Adds the options that choose a cluster, the same for every command that talks to one. */
export function withClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', "the cluster to talk to (default: $KUBECONFIG, else the embedded cluster, else kubectl's)")
    .addOption(homeOption());
}
