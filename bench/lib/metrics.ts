/** One sample of a metric. */
export interface Sample {
  /** The value of a label, empty where it has none. */
  readonly label: (name: string) => string;
  readonly value: number;
}

/** The samples of a metric with labels, from the text a program shows its metrics as. */
export function* samplesOf(metrics: string, name: string): Generator<Sample> {
  for (const [, labels = '', value] of metrics.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'))) {
    const label = (wanted: string): string => new RegExp(`(?:^|,)${wanted}="([^"]*)"`).exec(labels)?.[1] ?? '';
    yield { label, value: Number(value) };
  }
}
