/** New values by path, such as `spec.vms[0].diskSize`; undefined removes the field. */
export type Changes = Readonly<Record<string, unknown>>;

type Container = Record<string, unknown>;

function segmentsOf(path: string): string[] {
  return path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
}

/** A copy with the changes made. Missing objects on the way are added; a missing list item is a mistake in the test. */
export function withChanges<T extends object>(object: T, changes: Changes): T {
  const copy = structuredClone(object);
  for (const [path, value] of Object.entries(changes)) {
    const segments = segmentsOf(path);
    const last = segments.pop()!;
    let at = copy as Container;
    for (const segment of segments) {
      if (Array.isArray(at) && at[Number(segment)] === undefined)
        throw new TypeError(`${path}: there is no item ${segment} to change`);
      at[segment] ??= {};
      at = at[segment] as Container;
    }
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return copy;
}

/** The same changes below a path. */
export function below(path: string, changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).map(([name, value]) => [`${path}.${name}`, value]));
}
