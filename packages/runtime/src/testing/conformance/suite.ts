import { applyCases } from './apply.ts';
import { clusterCases } from './cluster.ts';
import { createCases } from './create.ts';
import { deleteCases } from './delete.ts';
import { dryRunCases } from './dry-run.ts';
import { garbageCases } from './garbage.ts';
import { listCases } from './list.ts';
import { patchCases } from './patch.ts';
import { type ConformanceCases, type ConformanceTarget, Sandbox } from './sandbox.ts';
import { statusCases } from './status.ts';
import { updateCases } from './update.ts';
import { validationCases } from './validation.ts';
import { watchCases } from './watch.ts';

/**
 * What an API server promises to controllers, case by case. The fake and the real server run the same cases, so a test written against the
 * fake means the same against the real one.
 */
export const conformanceCases: Readonly<Record<string, ConformanceCases>> = {
  creating: createCases,
  validation: validationCases,
  replacing: updateCases,
  patching: patchCases,
  status: statusCases,
  applying: applyCases,
  deleting: deleteCases,
  'garbage collection': garbageCases,
  listing: listCases,
  watching: watchCases,
  'dry run': dryRunCases,
  'namespaces and CRDs': clusterCases,
};

/** Runs one case in a namespace of its own. */
export async function runCase(target: ConformanceTarget, run: (api: Sandbox) => Promise<void>): Promise<void> {
  await run(await Sandbox.open(target));
}

export const prepareConformance = (target: ConformanceTarget): Promise<void> => Sandbox.prepare(target);
