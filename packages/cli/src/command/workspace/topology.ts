import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { CommandError, ExitCode } from '../../output/exit.ts';
import { type ClusterFlags, withClusterOptions } from '../cluster-options.ts';

interface Flags extends ClusterFlags {
  readonly svg?: string;
  readonly name?: string;
}

export function topologyCommand(): Command {
  return withClusterOptions(new Command('topology'))
    .description('draw the networks, machines, addresses and routes of a workspace, of a file or live')
    .argument('<file|name>', 'a file (- is standard input), or the name of a workspace in the cluster')
    .option('--svg <file>', 'write a picture there; - is standard output')
    .option('--name <name>', 'which Workspace or WorkspaceTemplate of a file that holds several')
    .action(run);
}

async function run(target: string, flags: Flags): Promise<void> {
  const [{ isFile }, { drawSvg, drawText }] = await Promise.all([import('../../workspace/input.ts'), import('@terrain/api')]);
  const topology = isFile(target) ? await ofFile(target, flags.name) : await ofCluster(target, flags);
  if (flags.svg === undefined) process.stdout.write(drawText(topology));
  else if (flags.svg === '-') process.stdout.write(drawSvg(topology));
  else write(flags.svg, drawSvg(topology));
}

async function ofFile(file: string, wanted: string | undefined) {
  const [{ readInput }, { readLabs }, { checkFiles }, { topologyOf }] = await Promise.all([
    import('../../workspace/input.ts'),
    import('../../workspace/manifest.ts'),
    import('../../workspace/check.ts'),
    import('@terrain/api'),
  ]);
  const text = readInput(file);
  const { labs, errors } = readLabs(text);
  const [error] = errors;
  if (error !== undefined) throw new CommandError(`${file}:${error.line}: ${error.message}`);
  const drawable = labs.flatMap(({ name, lab }) =>
    lab === undefined || (wanted !== undefined && name !== wanted) ? [] : [{ name, lab }],
  );
  const [first, second] = drawable;
  if (first === undefined) {
    const which =
      wanted === undefined
        ? 'no Workspace, and no WorkspaceTemplate with one'
        : `no Workspace or WorkspaceTemplate ${wanted} with a lab`;
    throw new CommandError(`${file} holds ${which}: there is nothing to draw.`);
  }
  if (second !== undefined)
    throw new CommandError(
      `${file} holds several labs; choose one with --name: ${drawable.map(({ name }) => name).join(', ')}`,
      ExitCode.usage,
    );
  const problems = checkFiles([{ file, text }]).labs.find(({ name }) => name === first.name)?.problems.length ?? 0;
  if (problems > 0) {
    const count = problems === 1 ? 'is 1 problem' : `are ${problems} problems`;
    process.stderr.write(`There ${count} in ${first.name}; \`terrain workspace validate ${file}\` names what to correct.\n`);
  }
  return topologyOf(first.name, first.lab.spec);
}

async function ofCluster(name: string, flags: Flags) {
  const [{ withCluster }, { getWorkspace }, { topologyOf }] = await Promise.all([
    import('../../cluster/connect.ts'),
    import('../../workspace/live.ts'),
    import('@terrain/api'),
  ]);
  const { spec, status } = await withCluster(flags, (connection) => getWorkspace(connection, name));
  return topologyOf(name, spec, status?.components);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`the picture cannot be written: ${(error as Error).message}`);
  }
  process.stderr.write(`Drawn in ${file}.\n`);
}
