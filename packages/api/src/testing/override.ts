/** Part of an object: nested objects may be given in part too, lists only as a whole. `undefined` removes a field. */
export type Override<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: Override<T[Key]> | undefined }
    : T;

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merge(base: unknown, change: unknown): unknown {
  if (!isPlainObject(change)) return structuredClone(change);
  const result: Record<string, unknown> = isPlainObject(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** A copy of an object with some of its fields changed. Neither the object nor the change is shared with the copy. */
export function override<T>(base: T, change: Override<NoInfer<T>>): T {
  return merge(structuredClone(base), change) as T;
}
