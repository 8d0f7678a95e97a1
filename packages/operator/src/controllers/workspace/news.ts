import { isDeepStrictEqual } from 'node:util';
import type { VMDiskImage } from '@terrain/api';
import type { SourceOptions } from '@terrain/runtime';

/** All but who counts on it; that somebody does decides to whom the image is left. */
function factsOf({ metadata, spec, status = {} }: VMDiskImage): readonly unknown[] {
  const { references = 0, referencedBy: _names, referencesAsOf: _asOf, unreferencedSince: _since, ...told } = status;
  return [spec, told, references > 0, metadata.deletionTimestamp, metadata.labels];
}

/** An image counts the machines of all workspaces, one after the other: which of its changes can change a decision about a workspace. */
export const imageNews: SourceOptions<VMDiskImage> = {
  when: (change) => change.type !== 'updated' || !isDeepStrictEqual(factsOf(change.old), factsOf(change.new)),
};
