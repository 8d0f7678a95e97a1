/** What protects an image that virtual machines refer to: a finalizer of its own, and a label on its namespace. */
import { finalizers, labels } from '@terrain/api';
import { wordsIfRefused } from '#platform/refusal.ts';
import { isGoing } from './facts.ts';
import type { ShownMark } from './namespace-use.ts';
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
  let { image } = snapshot;
  if (isGoing(image) || snapshot.namespace.isTerminating) return { image, refusal: undefined };
  const words = await wordsIfRefused(async () => {
    image = await hands.addFinalizer(image, finalizers.imageInUse);
    await deps.namespaceUse.hold(namespace, key, shownMark(snapshot), () => hands.markNamespace(namespace, true));
  });
  return { image, refusal: words === undefined ? undefined : tell(pass, image, cannotProtect(namespace, words)) };
}

/** Takes back what protected the image, and its namespace if no other image in it is in use. */
export async function unprotect(pass: Pass, snapshot: Snapshot, held: StoredImage): Promise<Protection> {
  const { deps, hands, key } = pass;
  const { namespace, finalizers: names = [] } = held.metadata;
  if (!names.includes(finalizers.imageInUse)) {
    deps.namespaceUse.forget(namespace, key);
    return { image: held, refusal: undefined };
  }
  const inUse = () => deps.informers.images.store.keysByIndex(inUseByNamespace, namespace).filter((other) => other !== key);
  const unmark = () => hands.markNamespace(namespace, false);
  const unmarked = await wordsIfRefused(() => deps.namespaceUse.release(namespace, key, shownMark(snapshot), inUse, unmark));
  const label = `the label ${labels.imagesInUse} cannot be taken off Namespace ${namespace}`;
  if (unmarked !== undefined) return { image: held, refusal: tell(pass, held, cannotLetGo(label, unmarked)) };
  let image = held;
  const freed = await wordsIfRefused(async () => {
    image = (await hands.removeFinalizer(held, finalizers.imageInUse)) ?? held;
  });
  const finalizer = `its finalizer ${finalizers.imageInUse} cannot be taken off`;
  return { image, refusal: freed === undefined ? undefined : tell(pass, image, cannotLetGo(finalizer, freed)) };
}

const shownMark = ({ namespace }: Snapshot): ShownMark => ({ isMarked: namespace.isMarkedInUse, version: namespace.version });

function tell({ deps }: Pass, image: StoredImage, note: string): string {
  deps.record(image, { type: 'Warning', reason: 'RefusedByPlatform', note });
  return note;
}

const cannotProtect = (namespace: string, words: string): string =>
  `cannot be protected while virtual machines refer to it: ${words}; new ones wait until the operator may put the label ${labels.imagesInUse} on Namespace ${namespace} and the finalizer ${finalizers.imageInUse} on the image`;

const cannotLetGo = (what: string, words: string): string =>
  `no virtual machine refers to it any more, but ${what}: ${words}; let the operator do that, and it goes on by itself within a minute`;
