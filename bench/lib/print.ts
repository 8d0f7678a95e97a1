import type { JudgedRow } from './bench.ts';
import type { Machine } from './machine.ts';

/** The rows as people read them, with the machine's facts above. */
export function printed(name: string, facts: Machine, versions: Record<string, string>, rows: readonly JudgedRow[]): string {
  const head = `${name} on ${facts.cores} cores (${facts.cpu}), ${facts.memoryGiB} GiB, Linux ${facts.kernel}, load ${facts.loadAverage}; ${Object.entries(
    versions,
  )
    .map(([what, version]) => `${what} ${version}`)
    .join(', ')}`;
  const width = Math.max(...rows.map((row) => row.name.length));
  const body = rows.map((row) => {
    const value = `${number(row.value)} ${row.unit}`.padEnd(16);
    const goal =
      row.goal === null ? '' : `${row.exactly === true ? '=' : row.atLeast === true ? '>=' : '<='} ${number(row.goal)}`;
    return `${row.name.padEnd(width)}  ${value}${goal.padEnd(12)}${verdict(row).padEnd(row.predecessor === undefined ? 0 : 8)}${predecessor(row)}`.trimEnd();
  });
  return `${[head, ...body].join('\n')}\n`;
}

const number = (value: number): string => String(Math.round(value * 1000) / 1000);
const predecessor = (row: JudgedRow): string => (row.predecessor === undefined ? '' : `predecessor: ${row.predecessor}`);
const verdict = ({ pass }: JudgedRow): string => (pass === null ? '' : pass ? 'ok' : 'MISSED');
