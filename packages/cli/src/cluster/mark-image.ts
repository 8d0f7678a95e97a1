import type { VMDiskImage } from '@terrain/api';
import type { Connection } from '@terrain/runtime';
import type { Answer } from '../image/ask.ts';
import { CommandError } from '../output/exit.ts';
import { getImage, imagesOf } from './images.ts';
import type { Address } from './wait-for-all.ts';

/** Looks at an image and marks it as `answer` says; a refusal is an error. */
export async function markImage(
  connection: Connection,
  at: Address,
  answer: (image: VMDiskImage) => Answer,
): Promise<Exclude<Answer, { kind: 'refused' }>> {
  const given = answer(await getImage(connection, at));
  if (given.kind === 'refused') throw new CommandError(given.sentence);
  if (given.kind === 'done') return given;
  await imagesOf(connection).mergePatch(at, { metadata: { annotations: given.annotations } }, { fieldManager: 'terrain-cli' });
  return given;
}
