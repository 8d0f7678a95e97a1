import type { VMDiskImage } from '@terrain/api';
import { ApiError, type Connection, isConflict, isNotFound } from '@terrain/runtime';
import type { Answer } from '../image/ask.ts';
import { CommandError } from '../output/exit.ts';
import { getImage, imagesOf } from './images.ts';
import type { Address } from './wait-for-all.ts';

/** An image on its way changes every few seconds: to miss it so often takes a writer that never rests. */
const tries = 5;

/**
 * Looks at an image and marks it as `answer` says; a refusal is an error.
 *
 * Guarantees: what is marked is the very version `answer` was given. One that changed in between is looked at again, and one that was deleted and
 * made again under the name is not touched.
 * Assumptions: `answer` may be asked several times.
 */
export async function markImage(
  connection: Connection,
  at: Address,
  answer: (image: VMDiskImage) => Answer,
): Promise<Exclude<Answer, { kind: 'refused' }>> {
  const where = `${at.namespace}/${at.name}`;
  let first: string | undefined;
  for (let attempt = 1; attempt <= tries; attempt++) {
    const image = await getImage(connection, at);
    const { uid, resourceVersion } = image.metadata;
    first ??= uid;
    if (uid !== first) throw new CommandError(`${where} was deleted and made again meanwhile; nothing was changed.`);
    const given = answer(image);
    if (given.kind === 'refused') throw new CommandError(given.sentence);
    if (given.kind === 'done') return given;
    const metadata = { uid, resourceVersion, annotations: given.annotations };
    try {
      await imagesOf(connection).mergePatch(at, { metadata }, { fieldManager: 'terrain-cli' });
      return given;
    } catch (error) {
      if (!isOutdated(error)) throw error;
    }
  }
  throw new CommandError(`${where} changed each time it was looked at; nothing was asked of the operator: try again.`);
}

/** Whether a write was refused because the image is not the one that was looked at: another version, another image, or none. */
const isOutdated = (error: unknown): boolean =>
  isConflict(error) ||
  isNotFound(error) ||
  // A UID that is not the stored one is refused as a change of a field that cannot change.
  (error instanceof ApiError && error.causes.some(({ field }) => field === 'metadata.uid'));
