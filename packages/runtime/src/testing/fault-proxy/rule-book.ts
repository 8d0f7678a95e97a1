import type { ApiCall } from '../api-call.ts';
import { matchesCall } from '../request-log.ts';
import type { EventMatch, EventRule, FaultPlan, FaultRule, RequestRule } from './plan.ts';
import { seededRandom } from './random.ts';

export interface EventFacts {
  readonly type: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Decides, occurrence by occurrence, which rule of a plan fires. */
export class RuleBook {
  readonly #plan: FaultPlan;
  readonly #counts = new Map<FaultRule, number>();
  readonly #random: () => number;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
    this.#random = seededRandom(plan.seed ?? 1);
  }

  forRequest(call: Omit<ApiCall, 'query'>): RequestRule | undefined {
    return this.#first((rule): rule is RequestRule => rule.on === 'request' && matchesCall(rule.match ?? {}, call));
  }

  forEvent(event: EventFacts): EventRule | undefined {
    return this.#first((rule): rule is EventRule => rule.on === 'event' && matchesEvent(rule.match ?? {}, event));
  }

  #first<R extends FaultRule>(matches: (rule: FaultRule) => rule is R): R | undefined {
    let first: R | undefined;
    for (const rule of this.#plan.rules) {
      if (!matches(rule)) continue;
      const fires = this.#fires(rule);
      if (fires) first ??= rule;
    }
    return first;
  }

  #fires(rule: FaultRule): boolean {
    const count = (this.#counts.get(rule) ?? 0) + 1;
    this.#counts.set(rule, count);
    if (!isMeant(rule.nth, count)) return false;
    return rule.share === undefined || this.#random() < rule.share;
  }
}

function isMeant(nth: FaultRule['nth'], count: number): boolean {
  if (nth === undefined) return true;
  if (typeof nth === 'number') return nth === count;
  if ('from' in nth) return count >= nth.from && count <= (nth.to ?? Number.POSITIVE_INFINITY);
  return nth.includes(count);
}

function matchesEvent(match: EventMatch, event: EventFacts): boolean {
  const fields = ['type', 'group', 'resource', 'namespace', 'name'] as const;
  return fields.every((field) => match[field] === undefined || match[field] === event[field]);
}
