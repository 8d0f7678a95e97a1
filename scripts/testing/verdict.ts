/** What the last line of the reporter says; a part may run it more than once. */
const lastLine = /^tests \d+, passed (\d+), failed (\d+), skipped (\d+)/gm;

export interface Verdict {
  readonly isPassed: boolean;
  readonly passed: number;
  /** Also what was skipped, which proves nothing; and at least one when the program failed without naming a test. */
  readonly failed: number;
}

/** Judges a part by how its program ended and what it printed. */
export function verdictOf(code: number, output: string): Verdict {
  const counts = [...output.matchAll(lastLine)].map((match) => match.slice(1).map(Number));
  const sum = (column: number): number => counts.reduce((total, row) => total + (row[column] ?? 0), 0);
  const unproven = sum(1) + sum(2);
  const isPassed = code === 0 && unproven === 0;
  return { isPassed, passed: sum(0), failed: isPassed ? 0 : Math.max(unproven, 1) };
}
