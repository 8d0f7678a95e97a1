import type { Part } from './parts.ts';
import type { Verdict } from './verdict.ts';

/** How a part ended. */
export interface Outcome extends Verdict {
  readonly part: Pick<Part, 'name'>;
  readonly seconds: number;
  /** What its failed tests said. */
  readonly failures: readonly string[];
}

/** A run longer than this is a defect of the suite: CI allows 90 minutes. */
const mostMinutes = 75;

interface Run {
  readonly minutes: number;
  /** Parts that were not run, and why. */
  readonly postponed: ReadonlyMap<Pick<Part, 'name'>, string>;
}

/** The end of a run for people, and whether all of it passed: every part, and in time. */
export function reportOf(all: readonly Outcome[], { minutes, postponed }: Run): { text: string; isPassed: boolean } {
  const isTooSlow = minutes > mostMinutes;
  const sum = (pick: (outcome: Outcome) => number): number => all.reduce((total, outcome) => total + pick(outcome), 0);
  const lines = [
    // Once more at the end, where a long log is looked at first.
    ...all.flatMap(({ part, failures }) => failures.map((text) => `\n[${part.name}] ${text}`)),
    '\npart         result   minutes  tests',
    ...all.map(({ part, seconds, isPassed, passed, failed }) => {
      const result = isPassed ? 'passed' : 'FAILED';
      return `${part.name.padEnd(12)} ${result.padEnd(8)} ${(seconds / 60).toFixed(1).padStart(7)}  ${passed + failed || ''}`;
    }),
    ...[...postponed].map(([{ name }, why]) => `${name.padEnd(12)} not run: ${why}; npm test -- ${name} does it`),
    `${'all'.padEnd(21)} ${minutes.toFixed(1).padStart(8)}`,
    ...(isTooSlow ? [`The run took longer than ${mostMinutes} minutes, which is a failure: make the slowest part faster.`] : []),
    `\n${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`,
  ];
  return { text: lines.join('\n'), isPassed: all.every((outcome) => outcome.isPassed) && !isTooSlow };
}
