/** Freezes plain JSON data in depth, so that a handler that edits a cached object fails at once instead of corrupting its neighbours. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
