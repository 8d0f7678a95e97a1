import type { VMDiskImage } from '@terrain/api';
import { type Connection, waitForObject } from '@terrain/runtime';
import { judge } from '../image/state.ts';
import { humanDuration } from '../output/duration.ts';
import { CommandError, ExitCode } from '../output/exit.ts';
import { getImage, type ImageAddress, imageType, noImage } from './images.ts';

export interface WaitForImagesOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told what each image waits for, whenever that changes. */
  readonly say: (line: string) => void;
}

/** The longest a timer can be set to. */
const longestMs = 2 ** 31 - 1;

/**
 * Waits until all images are ready, by a watch on each.
 *
 * Guarantees: all are followed to their end, so that the error names every one that was given up; those decide over the ones that were
 * only late. An image that is missing is an error before the wait.
 */
export async function waitForImages(
  connection: Connection,
  images: readonly ImageAddress[],
  { timeoutMs, signal, say }: WaitForImagesOptions,
): Promise<void> {
  for (const at of images) await getImage(connection, at);
  const deadline = AbortSignal.timeout(Math.min(timeoutMs, longestMs));
  const follow = async (at: ImageAddress): Promise<CommandError | undefined> => {
    const name = `${at.namespace}/${at.name}`;
    let missing = 'no answer from the API server';
    try {
      const failure = await waitForImage(connection, at, AbortSignal.any([signal, deadline]), (message) => {
        missing = message;
        say(`${name}: ${message}`);
      });
      if (failure === undefined) say(`${name}: ready`);
      return failure;
    } catch (error) {
      if (signal.aborted || !deadline.aborted) throw error;
      return new CommandError(`${name} is not ready after ${humanDuration(timeoutMs)}: ${missing}`, ExitCode.timeout);
    }
  };
  const failures = (await Promise.all(images.map(follow))).filter((failure) => failure !== undefined);
  if (failures.length === 0) return;
  const isGivenUp = failures.some(({ exitCode }) => exitCode === ExitCode.failed);
  throw new CommandError(failures.map(({ message }) => message).join('\n'), isGivenUp ? ExitCode.failed : ExitCode.timeout);
}

/** Undefined when it is ready, else why it never will be by itself. */
async function waitForImage(
  connection: Connection,
  at: ImageAddress,
  signal: AbortSignal,
  onWaiting: (message: string) => void,
): Promise<CommandError | undefined> {
  const missing = (image: VMDiskImage | undefined): string | undefined => {
    const verdict = image === undefined ? undefined : judge(image);
    return verdict?.kind === 'waiting' ? verdict.message : undefined;
  };
  const options = { timeoutMs: longestMs, signal, onWaiting };
  const image = await waitForObject<VMDiskImage>(connection, imageType, at, missing, options);
  if (image === undefined) return noImage(at);
  const verdict = judge(image);
  return verdict.kind === 'gaveUp' ? new CommandError(`${at.namespace}/${at.name}: ${verdict.message}`) : undefined;
}
