import { shortAge } from './duration.ts';
import { plain } from './plain.ts';
import { table } from './table.ts';

/** How a list is to be shown. */
export interface ListView {
  readonly nowMs: number;
  readonly isWide: boolean;
  readonly hasNamespaces: boolean;
}

/** What every object of ours has that a list shows. */
interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly phase?: string; readonly message?: string };
}

/** A column: its head, and what it shows of an object; `-` where that is nothing. */
export type Column<T> = readonly [head: string, cell: (object: T) => string | undefined];

export interface Columns<T> {
  /** Between PHASE and AGE. */
  readonly usual: readonly Column<T>[];
  /** After AGE, on request. */
  readonly wide: readonly Column<T>[];
  /** Instead of the status' own words. */
  readonly message?: (object: T) => string;
}

/** Objects as a table, one a line: NAMESPACE on request, NAME, PHASE, the columns of the kind, AGE, MESSAGE. */
export function renderObjects<T extends Listed>(
  objects: readonly T[],
  { nowMs, isWide, hasNamespaces }: ListView,
  { usual, wide, message = wordsOf }: Columns<T>,
): string {
  const columns: readonly Column<T>[] = [
    ...(hasNamespaces ? [['NAMESPACE', ({ metadata }) => metadata.namespace] satisfies Column<T>] : []),
    ['NAME', ({ metadata }) => metadata.name],
    ['PHASE', ({ metadata, status }) => (metadata.deletionTimestamp === undefined ? status?.phase : 'Deleting')],
    ...usual,
    ['AGE', ({ metadata: { creationTimestamp: made } }) => (made === undefined ? undefined : shortAge(nowMs - Date.parse(made)))],
    ...(isWide ? wide : []),
    ['MESSAGE', message],
  ];
  return table([columns.map(([head]) => head), ...objects.map((object) => columns.map(([, cell]) => cell(object) ?? '-'))]);
}

/** What the operator says about an object. */
export const wordsOf = ({ status }: Listed): string => plain(status?.message ?? 'the operator has not seen it yet');
