/**
 * Which attempt at an address an object is. Kept in memory: after a restart of the simulator the count begins again with the objects that
 * are there, so scenarios that must survive it use the attempt label.
 */
export class AttemptCounter {
  readonly #seen = new Map<string, Map<string, number>>();

  of(url: string, uid: string): number {
    let objects = this.#seen.get(url);
    if (objects === undefined) {
      objects = new Map();
      this.#seen.set(url, objects);
    }
    const known = objects.get(uid);
    if (known !== undefined) return known;
    objects.set(uid, objects.size + 1);
    return objects.size;
  }
}
