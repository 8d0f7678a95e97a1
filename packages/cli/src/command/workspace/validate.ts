import { Command, Option } from 'commander';
import { ExitCode } from '../../output/exit.ts';
import { type Form, print } from '../../output/form.ts';

interface Flags {
  readonly podRange: readonly string[];
  readonly serviceRange: readonly string[];
  readonly output: Form;
}

const unjudged =
  "Not compared with the ranges of the cluster's pods and Services: give them with --pod-range and --service-range.\n";

const collect = (range: string, before: readonly string[]): readonly string[] => [...before, range];

export function validateCommand(): Command {
  return new Command('validate')
    .description('check Workspaces and WorkspaceTemplates in files, without a cluster; exit code 1: there are problems')
    .argument('<file...>', 'YAML or JSON files; - is standard input')
    .option(
      '--pod-range <cidr>',
      "a range of the cluster's pods, which networks must keep clear of; may be repeated",
      collect,
      [],
    )
    .option('--service-range <cidr>', "a range of the cluster's Services; may be repeated", collect, [])
    .addOption(new Option('-o, --output <form>', 'form of the output').choices(['table', 'json', 'yaml']).default('table'))
    .action(run);
}

async function run(files: readonly string[], { podRange, serviceRange, output }: Flags): Promise<void> {
  const [{ readInput, requireRanges }, { checkFiles, isValid, renderChecked }] = await Promise.all([
    import('../../workspace/input.ts'),
    import('../../workspace/check.ts'),
  ]);
  requireRanges([...podRange, ...serviceRange]);
  const checked = checkFiles(
    files.map((file) => ({ file, text: readInput(file) })),
    { podRanges: podRange, serviceRanges: serviceRange },
  );
  print(
    output,
    () => ({ valid: isValid(checked), ...checked }),
    () => renderChecked(checked),
  );
  if (podRange.length + serviceRange.length === 0) process.stderr.write(unjudged);
  process.exitCode = isValid(checked) ? ExitCode.ok : ExitCode.failed;
}
