import { isDeepStrictEqual } from 'node:util';
import { Refusal } from './refusal.ts';
import { isMap } from './schema.ts';

/** RFC 7386: maps merge, null removes, anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const merged: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}

interface PatchStep {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** RFC 6902; a step that cannot be done refuses the whole patch, in the API server's unhelpful words. */
export function jsonPatch(target: unknown, steps: readonly PatchStep[]): unknown {
  let value = structuredClone(target);
  for (const step of steps) value = patched(value, step);
  return value;
}

function patched(root: unknown, { op, path, from, value }: PatchStep): unknown {
  switch (op) {
    case 'add':
      return insert(root, pointer(path), value);
    case 'remove':
      return remove(root, pointer(path));
    case 'replace':
      read(root, pointer(path));
      return path === '' ? value : insert(remove(root, pointer(path)), pointer(path), value);
    case 'move':
      return insert(remove(root, pointer(from)), pointer(path), read(root, pointer(from)));
    case 'copy':
      return insert(root, pointer(path), structuredClone(read(root, pointer(from))));
    case 'test':
      if (!isDeepStrictEqual(read(root, pointer(path)), value)) throw rejected();
      return root;
    default:
      throw rejected();
  }
}

const rejected = (): Refusal =>
  new Refusal({ code: 422, reason: 'Invalid', message: 'the server rejected our request due to an error in our request' });

function pointer(path: string | undefined): string[] {
  if (path === undefined || (path !== '' && !path.startsWith('/'))) throw rejected();
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const part of path) {
    const next: unknown = Array.isArray(value) ? value[Number(part)] : isMap(value) ? value[part] : undefined;
    if (next === undefined) throw rejected();
    value = next;
  }
  return value;
}

function insert(root: unknown, path: readonly string[], value: unknown): unknown {
  const [head, ...tail] = path;
  if (head === undefined) return value;
  if (Array.isArray(root)) {
    if (tail.length > 0) return root.with(indexUpTo(head, root.length - 1), insert(read(root, [head]), tail, value));
    return root.toSpliced(head === '-' ? root.length : indexUpTo(head, root.length), 0, value);
  }
  if (!isMap(root)) throw rejected();
  return { ...root, [head]: tail.length === 0 ? value : insert(read(root, [head]), tail, value) };
}

function remove(root: unknown, path: readonly string[]): unknown {
  const [head, ...tail] = path;
  if (head === undefined) throw rejected();
  const child = read(root, [head]);
  if (Array.isArray(root)) {
    const index = indexUpTo(head, root.length - 1);
    return tail.length === 0 ? root.toSpliced(index, 1) : root.with(index, remove(child, tail));
  }
  const { [head]: dropped, ...rest } = root as Record<string, unknown>;
  return tail.length === 0 ? rest : { ...rest, [head]: remove(dropped, tail) };
}

function indexUpTo(part: string, last: number): number {
  const index = Number(part);
  if (!Number.isInteger(index) || index < 0 || index > last) throw rejected();
  return index;
}
