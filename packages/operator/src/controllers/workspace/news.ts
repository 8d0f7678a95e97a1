import { isDeepStrictEqual } from 'node:util';
import type { VMDiskImage } from '@terrain/api';
import type { SourceOptions } from '@terrain/runtime';
import { lastWords, type Pod, podProblem } from '#platform/workload.ts';

/**
 * Which changes of what surrounds a workspace can change a decision about it.
 *
 * What decisions read must be compared here: a change that is passed over is seen only by the next pass, whatever causes it.
 */

/** All but who counts on it; that somebody does decides to whom the image is left. */
function factsOf({ metadata, spec, status = {} }: VMDiskImage): readonly unknown[] {
  const { references = 0, referencedBy: _names, referencesAsOf: _asOf, unreferencedSince: _since, ...told } = status;
  return [spec, told, references > 0, metadata.deletionTimestamp, metadata.labels];
}

/** An image counts the machines of all workspaces, one after the other. */
export const imageNews: SourceOptions<VMDiskImage> = {
  when: (change) => change.type !== 'updated' || !isDeepStrictEqual(factsOf(change.old), factsOf(change.new)),
};

const troubleOf = (pod: Pod): readonly (string | undefined)[] => [podProblem(pod), lastWords(pod)];
const isTroubled = (pod: Pod): boolean => troubleOf(pod).some((words) => words !== undefined);

/** That containers run is told by their Deployment or Job; a pod is read only for what is wrong with it. */
export const podNews: SourceOptions<Pod> = {
  when: (change) => {
    if (change.type !== 'updated') return isTroubled(change.type === 'added' ? change.new : change.old);
    const facts = [change.old, change.new].map((pod) => [troubleOf(pod), pod.metadata.labels, pod.metadata.ownerReferences]);
    return (isTroubled(change.old) || isTroubled(change.new)) && !isDeepStrictEqual(facts[0], facts[1]);
  },
};
