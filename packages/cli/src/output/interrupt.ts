import { CommandError, ExitCode } from './exit.ts';

/**
 * Runs something that Ctrl-C (or SIGTERM) ends in good order.
 *
 * The first signal aborts and waits for the work to clean up after itself; a second one gives up waiting.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    controller.abort(new CommandError('interrupted', ExitCode.interrupted));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    // Whatever broke because we were interrupted, the interruption is what the person wants to read.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const name of signals) process.off(name, onSignal);
  }
}
