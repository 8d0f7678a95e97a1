import type { Registry } from './prom-client.ts';

/** What a histogram is about. */
export interface DurationsOptions {
  readonly name: string;
  readonly help: string;
  /** The one label its series differ in. */
  readonly label: string;
  /** Upper bounds in seconds, rising. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

type Metric = Parameters<Registry['registerMetric']>[0];

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * A histogram of how long things took, shown as prom-client shows its own.
 *
 * For what happens dozens of times for each object: prom-client checks and hashes the labels each time, here the series is found once.
 */
export class Durations {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #label: string;
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor({ name, help, label, buckets, registry }: DurationsOptions) {
    this.name = name;
    this.help = help;
    this.#label = label;
    this.#buckets = buckets;
    registry.registerMetric(this as unknown as Metric);
  }

  /** The series of a value of the label. */
  of(value: string): Series {
    let series = this.#series.get(value);
    if (series === undefined) {
      series = new Series(this.#buckets);
      this.#series.set(value, series);
    }
    return series;
  }

  /** As the registry asks for it. */
  get(): { name: string; help: string; type: string; aggregator: string; values: Sample[] } {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: [...this.#series].flatMap(([value, series]) => this.#samples(value, series)) };
  }

  #samples(value: string, series: Series): Sample[] {
    const labels = { [this.#label]: value };
    const bounds = [...this.#buckets, '+Inf'];
    return [
      ...series.upTo.map((count, index) => ({
        metricName: `${this.name}_bucket`,
        labels: { le: bounds[index] as number | string, ...labels },
        value: count,
      })),
      { metricName: `${this.name}_sum`, labels, value: series.sum },
      { metricName: `${this.name}_count`, labels, value: series.upTo.at(-1) ?? 0 },
    ];
  }
}

/** The durations of one value of the label. */
class Series {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(ms: number): void {
    const seconds = ms / 1000;
    let index = 0;
    while (index < this.#bounds.length && seconds > (this.#bounds[index] as number)) index++;
    (this.#counts[index] as number) += 1;
    this.#sum += seconds;
  }

  get sum(): number {
    return this.#sum;
  }

  /** How many took no longer than each bound, and at last how many there were. */
  get upTo(): readonly number[] {
    let sum = 0;
    return this.#counts.map((count) => {
      sum += count;
      return sum;
    });
  }
}
