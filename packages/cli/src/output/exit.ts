import { CommanderError } from 'commander';

/** The exit codes of every command, so that pipelines can tell what happened. Listed in docs/guides/cli.md. */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** What was waited for did not happen in time. */
  timeout: 3,
  interrupted: 130,
} as const;

/** A failure whose message is all a person needs. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(sentence: string, exitCode: number = ExitCode.failed) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  return error instanceof CommandError ? error.exitCode : ExitCode.failed;
}

/** What is printed for a failure: its sentence, and with TERRAIN_DEBUG=1 where it came from. */
export function sentenceOf(error: unknown, environment: NodeJS.ProcessEnv = process.env): string {
  if (!(error instanceof Error)) return String(error);
  return environment.TERRAIN_DEBUG === '1' ? (error.stack ?? error.message) : error.message;
}
