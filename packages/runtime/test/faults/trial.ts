import type { RequestEntry } from '@terrain/runtime/testing';
import { until } from '../until.ts';
import type { Count, Ground } from './ground.ts';
import type { Lives } from './lives.ts';
import { endState, Scenario, type Stage } from './scenario.ts';

/** What is left of one run of the scenario, in a form that can be compared with another. */
export interface Outcome {
  /** In the order they were asked for, the refused ones included. */
  readonly writes: readonly string[];
  readonly events: readonly string[];
  /** Where the controller was killed. */
  readonly deaths: readonly string[];
  /** Writes the server refused for another reason than that the object had moved on. */
  readonly refusals: readonly string[];
  readonly end: unknown;
  readonly counts: Record<string, Count>;
}

/** Plays the scenario once, from an empty namespace to the end, with the controller living as told. */
export async function trial(ground: Ground, live: (stage: Stage) => Promise<Lives> | Lives): Promise<Outcome> {
  const stage = await ground.stage();
  await using lives = await live(stage);
  await lives.start();
  await Promise.race([new Scenario(stage).play(), lives.unasked]);
  await quiet(() => lives.requests);
  await lives.stop();
  const written = lives.requests.filter(({ write }) => write !== undefined);
  const isRefusal = ({ code = 0 }: RequestEntry): boolean => code >= 400 && code !== 404 && code !== 409;
  return {
    writes: written.filter(({ resource }) => resource !== 'events').map(inWords),
    events: written.filter(({ resource }) => resource === 'events').map(inWords),
    deaths: lives.deaths.map(inWords),
    refusals: written.filter(isRefusal).map(inWords),
    end: await endState(stage),
    counts: await ground.counts(stage),
  };
}

/** Waits until the controller has had nothing to say for a while. */
export async function quiet(requests: () => readonly RequestEntry[], forMs = 100): Promise<void> {
  const isQuiet = (): boolean => performance.now() - (requests().at(-1)?.atMs ?? 0) > forMs;
  await until(`quiet for ${forMs} ms`, isQuiet, 60_000);
}

/** What a request asked for, without its namespace. */
export const inWords = ({ verb, resource, subresource, name }: RequestEntry): string =>
  `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}${name === undefined ? '' : ` ${name}`}`;
