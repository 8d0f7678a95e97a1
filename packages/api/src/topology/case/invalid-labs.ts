/** Everything that can be wrong with a lab, for the rules themselves and for whoever applies them. */
import type { WorkspaceSpec } from '#workspace/schema.ts';
import { type Case, exampleLab } from '../lab.example.ts';
import { cardCases } from './card.ts';
import { containerCases } from './container.ts';
import { imageCases } from './image.ts';
import { machineCases } from './machine.ts';
import { nameCases } from './name.ts';
import { networkCases } from './network.ts';
import { routeCases } from './route.ts';
import { severalCases } from './several.ts';

/** A lab, and everything that is wrong with it. */
export type InvalidLab = { readonly name: string; readonly spec: WorkspaceSpec; readonly want: readonly string[] };

const tables: readonly Readonly<Record<string, Case>>[] = [
  severalCases,
  nameCases,
  networkCases,
  routeCases,
  cardCases,
  machineCases,
  imageCases,
  containerCases,
];

/** The example with one change each; the cluster around it has the ranges of `labClusterRanges`. */
export const invalidLabs: readonly InvalidLab[] = tables.flatMap((table) =>
  Object.entries(table).map(([name, { given, want }]) => {
    const lab = structuredClone(exampleLab);
    given(lab);
    return { name, spec: lab as WorkspaceSpec, want };
  }),
);
