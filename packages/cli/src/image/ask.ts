/** What a person's wish about the download of an image comes to. */
import { annotations, type VMDiskImage } from '@terrain/api';
import { judge, keyOf } from './state.ts';

export type Answer =
  /** These annotations carry the wish to the operator; null takes one away. */
  | { readonly kind: 'mark'; readonly annotations: Readonly<Record<string, string | null>> }
  /** All is as wished already. */
  | { readonly kind: 'done'; readonly sentence: string }
  | { readonly kind: 'refused'; readonly sentence: string };

/** The wish for another try. */
export function answerSync(image: VMDiskImage, now: string): Answer {
  if (image.metadata.deletionTimestamp !== undefined)
    return { kind: 'refused', sentence: `${keyOf(image)} is being deleted: it is not downloaded any more.` };
  if (judge(image).kind === 'ready') {
    const sentence = `${keyOf(image)} is ready already: nothing is downloaded again unless its source changes.`;
    return { kind: 'done', sentence };
  }
  // A cancellation that stays would end the new try at once.
  return { kind: 'mark', annotations: { [annotations.retry]: now, [annotations.cancel]: null } };
}

/** The wish to end the download, and to give the image up. */
export function answerCancel(image: VMDiskImage, now: string): Answer {
  const verdict = judge(image);
  // The annotation stays on the object: set on an image at rest it would end the download of its next source.
  if (verdict.kind === 'ready') return { kind: 'refused', sentence: `${keyOf(image)} is ready: there is no download to cancel.` };
  if (verdict.kind === 'gaveUp')
    return { kind: 'refused', sentence: `${keyOf(image)} is not being downloaded: ${verdict.message}` };
  return { kind: 'mark', annotations: { [annotations.cancel]: now } };
}
