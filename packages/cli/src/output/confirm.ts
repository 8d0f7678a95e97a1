import { createInterface } from 'node:readline/promises';
import { CommandError, ExitCode } from './exit.ts';

/**
 * Asks a person; only `y` and `yes` are yes.
 *
 * Where nobody can be asked it is an error that names the option to say yes beforehand: a script must not wait for ever, nor delete by accident.
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new CommandError(
      'nobody can be asked here: give --yes to go ahead without a question, or --dry-run to only look.',
      ExitCode.usage,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C in the question is a signal to us like any other, and the end of input is no answer.
    terminal.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
    const answer = await Promise.race([terminal.question(`${question} [y/N] `, { signal }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
