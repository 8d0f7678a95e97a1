import type { EmbeddedErrorCode } from '@terrain/embedded';
import { CommandError, ExitCode } from './exit.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C may arrive twice: the terminal sends it to npm and to us, and npm passes its own on. Nobody presses a key again that soon. */
const sameWishMs = 1000;

/**
 * Runs something that Ctrl-C (or SIGTERM) ends in good order.
 *
 * The first signal aborts and waits for the work to clean up after itself; a second one, by somebody who is impatient, gives up waiting.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let abortedAt = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      if (isImpatient(name, performance.now() - abortedAt)) process.exit(ExitCode.interrupted);
      return;
    }
    abortedAt = performance.now();
    controller.abort(new CommandError('interrupted', ExitCode.interrupted));
  };
  for (const name of signals) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? interruption(error, controller.signal.reason) : error;
  } finally {
    for (const name of signals) process.off(name, onSignal);
  }
}

/** Whatever broke because we were interrupted, the interruption is what the person wants to read: in words of its own where work tells of it. */
function interruption(error: unknown, reason: unknown): unknown {
  const told: EmbeddedErrorCode = 'BuildInterrupted';
  const { code, message } = error as { code?: string; message: string };
  return code === told ? new CommandError(message, ExitCode.interrupted) : reason;
}

/** Whether a signal after the first one is a wish of its own. A terminal or a parent that goes away says SIGHUP, and is no person who insists. */
export function isImpatient(name: NodeJS.Signals, sinceFirstMs: number): boolean {
  return name !== 'SIGHUP' && sinceFirstMs >= sameWishMs;
}
