/** What the deletions of several kinds have in common. */
import type { KubeObject, ResourceType, Writer } from '@terrain/runtime';

/** What takes longer than this is told to whoever waits for it. */
export const patienceMs = 60_000;

export const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

/** Status of these kinds changes all the time; what must be right is which object it is. */
export function removeByUid(
  writer: Writer,
  type: ResourceType,
  object: KubeObject,
  propagationPolicy: 'Foreground' | 'Background' = 'Background',
): Promise<'gone' | 'going'> {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return writer.delete(type, { ...object, metadata }, { propagationPolicy });
}

/** What is waited for, with who holds it. */
export function holdersOf({ kind, metadata }: KubeObject): string {
  const held = (metadata.finalizers ?? []).join(', ');
  return `${kind} ${metadata.name}${held === '' ? '' : ` (finalizer ${held})`}`;
}

/** Said of something that is being deleted and does not go. */
export const blockedWords = (left: readonly string[]): string =>
  `is being deleted, and waits for ${left.join(' and ')} to be gone; look at what holds them`;
