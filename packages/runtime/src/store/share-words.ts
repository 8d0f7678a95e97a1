/** What conditions of all kinds have that is long. */
type Condition = Partial<Record<'message' | 'lastTransitionTime', string>>;
type Told = { status?: { message?: unknown; conditions?: unknown } | null };

/**
 * Makes the conditions of an object hold the same words once: as a rule several of them say the same, at the same time, and it is these words that
 * objects consist of.
 *
 * Assumptions: given JSON data that nobody else holds yet, since it is edited in place.
 */
export function shareWords<T>(object: T): T {
  const { status } = object as Told;
  const conditions = status?.conditions;
  if (!Array.isArray(conditions)) return object;
  let message = status?.message;
  let time: unknown;
  for (const condition of conditions as (Condition | null)[]) {
    if (typeof condition !== 'object' || condition === null) continue;
    if (condition.message === message && message !== undefined) condition.message = message as string;
    else message = condition.message;
    if (condition.lastTransitionTime === time && time !== undefined) condition.lastTransitionTime = time as string;
    else time = condition.lastTransitionTime;
  }
  return object;
}
