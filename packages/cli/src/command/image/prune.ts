import { Command, Option } from 'commander';
import { durationArgument } from '../../output/duration-argument.ts';
import { CommandError } from '../../output/exit.ts';
import { type Form, formOption, print } from '../../output/form.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';
import { defaultNamespace, namespaceOption } from './namespace.ts';

interface Flags extends ClusterFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly olderThan?: number;
  readonly failed?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly output: Form;
}

export function pruneCommand(): Command {
  return withClusterOptions(new Command('prune'))
    .description('delete images no machine refers to, after saying which, why, and what that frees')
    .addOption(namespaceOption(`only this namespace (default: ${defaultNamespace})`))
    .option('-A, --all-namespaces', 'all namespaces')
    .addOption(
      new Option('--older-than <duration>', 'unused for so long, whatever templateImageTTL and unreferencedTTL say').argParser(
        durationArgument,
      ),
    )
    .option('--failed', 'also images that were given up, whatever their age')
    .option('--dry-run', 'only say what would go')
    .option('--yes', 'do not ask')
    .addOption(formOption())
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const [{ withCluster }, { interruptible }, { confirm }, { pruneShown, readPruning }, { planPrune }, report] = await Promise.all(
    [
      import('../../cluster/connect.ts'),
      import('../../output/interrupt.ts'),
      import('../../output/confirm.ts'),
      import('../../cluster/prune-images.ts'),
      import('../../image/prune.ts'),
      import('../../image/prune-report.ts'),
    ],
  );
  const { output, olderThan } = flags;
  const isForPeople = output === 'table' || output === 'wide';
  const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? defaultNamespace);
  const wish = { olderThanMs: olderThan, hasFailed: flags.failed === true };
  const problems = await interruptible((signal) =>
    withCluster(flags, async (connection) => {
      const look = async () => planPrune({ ...wish, ...(await readPruning(connection, namespace, wish)), nowMs: Date.now() });
      const plan = await look();
      if (isForPeople) process.stdout.write(report.renderPlan(plan, { isWide: output === 'wide' }));
      const isOnlyLook = flags.dryRun === true || plan.going.length === 0;
      if (!isOnlyLook && flags.yes !== true && !(await confirm(`Delete ${report.imageCount(plan.going.length)}?`, signal)))
        throw new CommandError('nothing was deleted.');
      const pruned = isOnlyLook ? [] : await pruneShown(connection, plan.going, look, signal);
      print(
        output,
        () => report.forPrograms(plan, pruned),
        () => (isOnlyLook ? '' : report.renderPruned(pruned)),
      );
      return report.problemsOf(pruned);
    }),
  );
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
}
