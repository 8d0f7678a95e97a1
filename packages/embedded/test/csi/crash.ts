import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnGuarded } from '#process/guard.ts';
import { CsiClient } from './client.ts';
import { code, newDirectory, Stand, services } from './stand.ts';

const program = fileURLToPath(new URL('./crashing-driver.ts', import.meta.url));
/** Before a step is after the one before it; before the first one nothing has happened. A step that has no middle is not begun. */
const allMoments = ['middle', 'after'] as const;
type Moment = (typeof allMoments)[number];
/** Each crash costs a process, so the usual run leaves out the moments after a step, except after the last. */
const moments = process.env.TERRAIN_FAULTS === 'all' ? allMoments : (['middle'] as const);

/** A call, what must be there before it, and what must be true once it has succeeded. */
export interface Story<Given> {
  readonly prepare: (stand: Stand) => Promise<Given>;
  readonly request: (given: Given, directory: string) => [method: string, request: object];
  readonly check: (stand: Stand, given: Given) => Promise<void> | void;
  /** Undoes what the story did to the machine. */
  readonly cleanUp?: (stand: Stand, given: Given) => Promise<void>;
}

/** Kills the driver at each step of a call in turn, starts it again and repeats the call. Returns how many steps the call has. */
export async function crashEverywhere<Given>(story: Story<Given>): Promise<number> {
  for (let step = 1; ; step++) {
    for (const moment of moments) {
      if (await crashOnce(story, step, moment)) continue;
      await crashOnce(story, step - 1, 'after');
      return step - 1;
    }
  }
}

/** False when the call has no such step. */
async function crashOnce<Given>(story: Story<Given>, step: number, moment: Moment): Promise<boolean> {
  const directory = newDirectory();
  try {
    const before = await Stand.open(directory);
    const given = await story.prepare(before);
    await before.close();

    const request = story.request(given, directory);
    const hasCrashed = await callCrashing(directory, step, moment, request);

    const after = await Stand.open(directory);
    try {
      assert.deepEqual(after.kept().work, [], `step ${step}, ${moment}: nothing half done is kept`);
      await after.client.call(...request);
      await story.check(after, given);
      assert.deepEqual(after.kept().work, [], `step ${step}, ${moment}: the repeated call leaves nothing behind`);
    } catch (error) {
      throw new Error(`After a crash at step ${step} (${moment}): ${(error as Error).message}`, { cause: error });
    } finally {
      await story.cleanUp?.(after, given);
      await after.close();
    }
    return hasCrashed;
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

async function callCrashing(directory: string, step: number, moment: Moment, request: [string, object]): Promise<boolean> {
  const child = spawnGuarded(process.execPath, [program, directory, String(step), moment], { stdout: 'pipe', stderr: 'ignore' });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout!, 'data'), exited]);
  const client = new CsiClient(await services(), join(directory, 'crashing.sock'));
  try {
    await client.call(...request);
    child.kill('SIGKILL');
    await exited;
    return false;
  } catch (error) {
    assert.equal((error as { code?: number }).code, code.Unavailable, String(error));
    assert.deepEqual(await exited, [null, 'SIGKILL']);
    return true;
  } finally {
    client.close();
  }
}
