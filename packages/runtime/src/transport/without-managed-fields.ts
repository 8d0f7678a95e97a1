import type { KubeObject } from './kube-object.ts';

const field = '"managedFields":[';

/**
 * Reads JSON of an object, a list of objects or a watch event without the managedFields of the objects, for readers who do not look at them: who
 * wrote which field takes half of the text, and more than half of the time to read it. Where they were is an empty list, but for odd ones with a
 * bracket in them.
 *
 * Guarantees: everything else is read as JSON.parse would, also a field of this name somewhere else in an object.
 */
export function parseWithoutManagedFields(text: string): unknown {
  const { cut, lists } = withoutLists(text);
  if (lists > 0) {
    try {
      const read: unknown = JSON.parse(cut);
      if (emptyLists(read) === lists) return read;
      // Something else of that name was cut as well, or instead: then all of it counts.
    } catch {
      // A bracket in a list or a text of its own seemed to end it. What was cut then opened more than it closed, so what is left is never JSON.
    }
  }
  return JSON.parse(text);
}

/**
 * The text with an empty list in place of each list of that name, however deep. Inside a text the quotes around the name would be escaped, so it is
 * no part of one.
 */
function withoutLists(text: string): { readonly cut: string; readonly lists: number } {
  let cut = '';
  let lists = 0;
  let from = 0;
  for (let at = text.indexOf(field); at !== -1; at = text.indexOf(field, from)) {
    const start = at + field.length;
    const end = text.indexOf(']', start);
    if (end === -1) break;
    cut += text.slice(from, start);
    from = end;
    lists++;
  }
  return { cut: cut + text.slice(from), lists };
}

function emptyLists(read: unknown): number {
  const { items, object } = read as { readonly items?: unknown; readonly object?: unknown };
  const objects = Array.isArray(items) ? items : [object ?? read];
  let count = 0;
  for (const each of objects as (Partial<KubeObject> | null)[]) if (each?.metadata?.managedFields?.length === 0) count++;
  return count;
}
