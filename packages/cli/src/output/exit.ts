/** The exit codes of every command, so that pipelines can tell what happened. Listed in docs/guides/cli.md. */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  timeout: 3,
  interrupted: 130,
} as const;

/** A failure whose message is all a person needs; printed without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(sentence: string, exitCode: number = ExitCode.failed) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
