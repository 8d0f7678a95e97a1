/** What a pruning would do, and what it did, for people and for programs. */
import { humanBytes } from '../output/bytes.ts';
import { table } from '../output/table.ts';
import type { Kept, Pruned, PrunePlan } from './prune.ts';
import { keyOf } from './state.ts';

/** What would go and why; wide also shows why each of the others stays, otherwise they are only counted. */
export function renderPlan({ going, kept }: PrunePlan, { isWide }: { readonly isWide: boolean }): string {
  const rows = going.map(({ image, bytes, why }) => [keyOf(image), bytes === 0 ? '-' : humanBytes(bytes), why]);
  const keptRows = isWide ? kept.map(({ image, why }) => [keyOf(image), 'stays', why]) : [];
  const shown = rows.length + keptRows.length === 0 ? '' : `${table([['IMAGE', 'FREES', 'WHY'], ...rows, ...keptRows])}\n`;
  const stay = kept.length === 0 ? '' : `${kept.length} ${kept.length === 1 ? 'stays' : 'stay'}: ${counted(kept)}.`;
  const go =
    going.length === 0 ? 'Nothing to prune.' : `${imageCount(going.length)} can go: ${humanBytes(total(going))} of disks.`;
  const hint = kept.length > 0 && !isWide ? ' -o wide says why for each.' : '';
  return `${shown}${[go, stay].filter((text) => text !== '').join(' ')}${hint}\n`;
}

function counted(kept: readonly Kept[]): string {
  return [...Map.groupBy(kept, ({ kind }) => kind)].map(([kind, all]) => `${all.length} ${kind}`).join(', ');
}

export function renderPruned(pruned: readonly Pruned[]): string {
  const deleted = deletedOf(pruned);
  const before = pruned.filter(({ isGoneAlready }) => isGoneAlready === true);
  return [
    `Deleted ${imageCount(deleted.length)}; the operator clears away ${humanBytes(total(deleted))} of disks with their snapshots.\n`,
    ...before.map(({ candidate }) => `${keyOf(candidate.image)} is gone already.\n`),
  ].join('');
}

/** A sentence for each image that stays although it was to go. */
export function problemsOf(pruned: readonly Pruned[]): string[] {
  return pruned.flatMap(({ candidate, problem }) =>
    problem === undefined ? [] : [`${keyOf(candidate.image)} was not deleted: ${problem}`],
  );
}

export function forPrograms({ going, kept }: PrunePlan, pruned: readonly Pruned[]): unknown {
  const outcomes = new Map(pruned.map((one) => [keyOf(one.candidate.image), outcomeOf(one)]));
  return {
    bytes: total(going),
    going: going.map(({ image, bytes, why }) => ({
      image: keyOf(image),
      bytes,
      why,
      outcome: outcomes.get(keyOf(image)) ?? null,
    })),
    kept: kept.map(({ image, kind, why }) => ({ image: keyOf(image), kind, why })),
  };
}

export const imageCount = (count: number): string => (count === 1 ? '1 image' : `${count} images`);

const outcomeOf = ({ isGoneAlready, problem }: Pruned): string =>
  problem ?? (isGoneAlready === true ? 'gone already' : 'deleted');
const deletedOf = (pruned: readonly Pruned[]) =>
  pruned.filter((one) => outcomeOf(one) === 'deleted').map(({ candidate }) => candidate);
const total = (all: readonly { readonly bytes: number }[]): number => all.reduce((sum, { bytes }) => sum + bytes, 0);
