import { type Problem, shown } from '#validate/problem.ts';

/** Something that cannot work in a lab, although each field by itself is well formed. */
export type TopologyProblem = Problem & {
  /** What the field holds. */
  readonly value: unknown;
  /** The rule it breaks, and what to do about it. */
  readonly rule: string;
};

/** A problem with the value of a field; `rule` goes on after "but". */
export const broken = (path: string, value: unknown, rule: string): TopologyProblem => ({
  path,
  value,
  rule,
  message: `${path} is ${shown(path, value)}, but ${rule}`,
});
