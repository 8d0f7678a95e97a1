import { below, type Changes } from './crd-change.ts';

/** One CEL rule tried: the smallest change of a good object that breaks it, and the nearest one that does not. */
export interface RuleCase {
  /** The message of the rule as the CRD has it. */
  readonly rule: string;
  /** The field a person is pointed at. */
  readonly field: string;
  readonly refused: Changes;
  readonly accepted: Changes;
  /** What a person reads, where the message is computed and differs from `rule`. */
  readonly words?: string;
}

/** Cases by what is wrong with the refused object. */
export type RuleCases = Readonly<Record<string, RuleCase>>;

/** The same cases for the same schema in another place. */
export function casesBelow(path: string, cases: RuleCases): RuleCases {
  return Object.fromEntries(
    Object.entries(cases).map(([name, one]) => [
      `${path}: ${name}`,
      { ...one, field: `${path}.${one.field}`, refused: below(path, one.refused), accepted: below(path, one.accepted) },
    ]),
  );
}

/** A quantity that must be above zero. `label` is how the message calls it. */
export function quantityCase(field: string, label = field): RuleCases {
  const rule = `${label} must be a quantity above zero; write a number with an optional unit, such as 500m, 2 or 24Gi`;
  return {
    [`${field} is zero`]: { rule, field, refused: { [field]: '0Gi' }, accepted: { [field]: 1 } },
    [`${field} is negative`]: { rule, field, refused: { [field]: -1 }, accepted: { [field]: '1m' } },
    [`${field} is no quantity`]: { rule, field, refused: { [field]: '18 GB' }, accepted: { [field]: '18.5G' } },
  };
}

/** A duration that must be above zero. */
export function durationCase(field: string): RuleCases {
  const rule = `${field} must be longer than zero; write a duration such as 90s, 30m or 2h`;
  return { [`${field} is zero`]: { rule, field, refused: { [field]: '0h0m' }, accepted: { [field]: '1ms' } } };
}
