import type { Contender } from '../contender/contenders.ts';
import { ContenderProcess } from '../contender/process.ts';
import type { Scene } from '../measure/stage.ts';

export interface ColdStarted {
  /** From the start of the process until it has looked at every object. */
  readonly seconds: number;
  /** Resident after that, garbage collected. */
  readonly residentBytes: number;
  readonly peakBytes: number;
}

/** Starts a contender where everything is served already, so that there is nothing to do but to find that out. */
export async function coldStart(scene: Scene, contender: Contender): Promise<ColdStarted> {
  await using running = new ContenderProcess(contender, scene.settings(scene.count));
  const seconds = ((await running.said('settled')) - running.startedAt) / 1000;
  const { peakBytes } = running.usage();
  const { residentBytes } = await running.usageWithoutGarbage();
  return { seconds, residentBytes, peakBytes };
}
