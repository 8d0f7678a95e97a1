/** What protects an image that virtual machines refer to: a finalizer of its own, and a label on its namespace. */
import { finalizers, labels } from '@terrain/api';
import { wordsIfRefused } from '#platform/refusal.ts';
import { isGoing } from './facts.ts';
import { inUseByNamespace } from './observe.ts';
import type { Pass } from './pass.ts';
import type { Snapshot, StoredImage } from './snapshot.ts';

/** The image as it is now; where the API server would not let it be protected, or be let go of, with a sentence that says so. */
export interface Protection {
  readonly image: StoredImage;
  readonly refusal: string | undefined;
}

/**
 * Protects the image, and its namespace.
 *
 * The finalizer comes first and goes last: it alone tells the next process, should this one die in between, that there is something to take back.
 */
export async function protect(pass: Pass, snapshot: Snapshot): Promise<Protection> {
  const { deps, hands, key } = pass;
  const { namespace } = snapshot.image.metadata;
  const { isTerminating, isMarkedInUse } = snapshot.namespace;
  let { image } = snapshot;
  if (isGoing(image) || isTerminating) return { image, refusal: undefined };
  const refusal = await wordsIfRefused(async () => {
    image = await hands.addFinalizer(image, finalizers.imageInUse);
    await deps.namespaceUse.hold(namespace, key, isMarkedInUse, () => hands.markNamespace(namespace, true));
  });
  return { image, refusal: refusal === undefined ? undefined : tell(pass, image, cannotProtect(namespace, refusal)) };
}

/** Takes back what protected the image, and its namespace if no other image in it is in use. */
export async function unprotect(pass: Pass, snapshot: Snapshot, held: StoredImage): Promise<Protection> {
  const { deps, hands, key } = pass;
  const { namespace, finalizers: names = [] } = held.metadata;
  if (!names.includes(finalizers.imageInUse)) return { image: held, refusal: undefined };
  const inUse = () => deps.informers.images.store.keysByIndex(inUseByNamespace, namespace).filter((other) => other !== key);
  let image = held;
  const refusal = await wordsIfRefused(async () => {
    const { isMarkedInUse } = snapshot.namespace;
    await deps.namespaceUse.release(namespace, key, isMarkedInUse, inUse, () => hands.markNamespace(namespace, false));
    image = (await hands.removeFinalizer(held, finalizers.imageInUse)) ?? held;
  });
  return { image, refusal: refusal === undefined ? undefined : tell(pass, image, cannotLetGo(namespace, refusal)) };
}

function tell({ deps }: Pass, image: StoredImage, note: string): string {
  deps.record(image, { type: 'Warning', reason: 'RefusedByPlatform', note });
  return note;
}

const cannotProtect = (namespace: string, words: string): string =>
  `cannot be protected while virtual machines refer to it: ${words}; new ones wait until the operator may put the label ${labels.imagesInUse} on Namespace ${namespace} and the finalizer ${finalizers.imageInUse} on the image`;

const cannotLetGo = (namespace: string, words: string): string =>
  `no virtual machine refers to it any more, but the label ${labels.imagesInUse} cannot be taken off Namespace ${namespace}: ${words}; let the operator do that, and it goes on by itself within a minute`;
