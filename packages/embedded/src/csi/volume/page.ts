import type { ListRequest } from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';
import { isIdentifier, type ObjectKind } from './identifier.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Empty when this is the last page. */
  readonly nextToken: string;
}

/**
 * One page of a list. The token is the last id of the page before, so objects that come and go between two pages neither repeat
 * nor hide others.
 */
export function pageOf<T extends { readonly id: string }>(
  kind: ObjectKind,
  all: readonly T[],
  { maxEntries, startingToken }: ListRequest,
): Page<T> {
  if (maxEntries < 0) throw new Refusal('InvalidArgument', `A page cannot have ${maxEntries} entries.`);
  if (startingToken !== '' && !isIdentifier(kind, startingToken)) {
    throw new Refusal('Aborted', `The token ${startingToken} is not one that a list of ${kind}s gave: begin the list again.`);
  }
  const rest = all.filter(({ id }) => id > startingToken).sort((one, other) => (one.id < other.id ? -1 : 1));
  const items = maxEntries === 0 ? rest : rest.slice(0, maxEntries);
  return { items, nextToken: items.length < rest.length ? items.at(-1)!.id : '' };
}
