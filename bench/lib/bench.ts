/** What a bench is: a name, a sentence, and rows. Ratios against a floor or a peer of the same run say more than seconds do. */
export interface Row {
  readonly name: string;
  readonly value: number;
  /** 's', 'MB', 'ratio', 'requests', ... */
  readonly unit: string;
  /** The most (with `atLeast` the least, with `exactly` all) that is good enough; absent for figures that are only listed. */
  readonly goal?: number;
  readonly atLeast?: boolean;
  /** For what nothing at all would say that nothing was measured. */
  readonly exactly?: boolean;
  /** What the project's predecessor was measured at. */
  readonly predecessor?: string;
}

export interface Bench {
  readonly name: string;
  readonly summary: string;
  run(context: BenchContext): Promise<Row[]>;
}

export interface BenchContext {
  readonly signal: AbortSignal;
  /** Says what is going on, on stderr. */
  log(line: string): void;
}

/** What is printed and written: every row has the same keys, with null where there is nothing to say. */
export interface JudgedRow extends Omit<Row, 'goal'> {
  readonly goal: number | null;
  /** Null where there is no goal to miss. */
  readonly pass: boolean | null;
}

export function judge(row: Row): JudgedRow {
  if (row.goal === undefined) return { ...row, goal: null, pass: null };
  return { ...row, goal: row.goal, pass: reaches(row, row.goal) };
}

function reaches({ value, atLeast, exactly }: Row, goal: number): boolean {
  if (exactly === true) return value === goal;
  return atLeast === true ? value >= goal : value <= goal;
}
