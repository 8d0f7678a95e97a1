import { after, type Result } from '@terrain/runtime';
import { isUnfinished } from '#platform/cdi.ts';
import { isNamedAsRunning } from './create-volume.ts';
import { type Pass, saveStatus } from './pass.ts';
import type { Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

/** A download runs that the ledger does not know of: it gets its entry back, if live reads say the same. */
export async function adoptImport(
  pass: Pass,
  snapshot: Snapshot,
  decision: Decision,
  { attempt, dataVolume }: Extract<Step, { kind: 'adopt' }>,
): Promise<Result> {
  const { eyes, keeper } = pass.deps;
  const { namespace, name, uid } = snapshot.image.metadata;
  const live = await eyes.dataVolume(namespace, dataVolume.metadata.name ?? '', pass.signal);
  const isRunning = live !== undefined && live.metadata.uid === dataVolume.metadata.uid && isUnfinished(live);
  if (!isRunning || !(await isNamedAsRunning(pass, snapshot.image, attempt))) return after(1000);
  if ((await eyes.entry(uid, pass.signal)) === undefined)
    await keeper.change({ kind: 'adopt', uid, image: `${namespace}/${name}`, attempt: attempt.number, state: 'open' });
  await saveStatus(pass, snapshot, decision);
  return after(1000);
}
