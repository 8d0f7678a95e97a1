/** An artifact of which the caches show nothing that can be cloned or cut. */
import { labels } from '@terrain/api';
import { after, type Result } from '@terrain/runtime';
import type { Claim } from '#platform/core.ts';
import { shorten } from '#platform/failure.ts';
import { isReadyToUse, type VolumeSnapshot } from '#platform/snapshot.ts';
import { isBound, isGoing } from './facts.ts';
import { type Pass, saveStatus } from './pass.ts';
import { currentRecord } from './record.ts';
import { instantMs, type Snapshot } from './snapshot.ts';
import type { Decision, Step } from './step.ts';

type Lost = Extract<Step, { kind: 'lose' }>;

/** So long after it was made, caches that do not show an artifact are merely behind: the image may be heard of before its snapshot. */
const freshMs = 60_000;
const lookAgainMs = 60_000;

/** Both gone, says the cache; only live reads may say that a download is lost. */
export async function lose(pass: Pass, snapshot: Snapshot, decision: Decision, step: Lost): Promise<Result> {
  const { eyes } = pass.deps;
  const { image, nowMs } = snapshot;
  const { namespace } = image.metadata;
  const [cut, claim] = await Promise.all([
    eyes.snapshot(namespace, step.volumeSnapshot, pass.signal),
    eyes.claim(namespace, step.dataVolume, pass.signal),
  ]);
  const message = whyNotLost(step, cut, claim);
  if (message === undefined) {
    await saveStatus(pass, snapshot, decision);
    return after(0);
  }
  if (nowMs - (instantMs(image.status?.artifact?.syncedAt) ?? 0) < freshMs) return after(1000);
  const waiting: Step = { kind: 'wait', reason: 'ArtifactLost', message };
  await saveStatus(pass, snapshot, { record: currentRecord(snapshot), step: waiting });
  // What is missing may be just what would wake us.
  return after(lookAgainMs);
}

/** Undefined when there is nothing left to clone or to cut; otherwise what is there, why it is of no use, and what to do about that. */
function whyNotLost(
  { volumeSnapshot, dataVolume }: Lost,
  cut: VolumeSnapshot | undefined,
  claim: Claim | undefined,
): string | undefined {
  const cutName = `VolumeSnapshot ${volumeSnapshot}`;
  const claimName = `PersistentVolumeClaim ${dataVolume}`;
  if (cut !== undefined && isReadyToUse(cut))
    return `${cutName} can be cloned, but the operator does not hear of it: put its label ${labels.managedBy} and the reference to its image back, or delete it, then it is made again`;
  if (isBound(claim))
    return claim.metadata.labels?.[labels.attempt] === undefined
      ? `${cutName} is gone, and ${claimName} it was cut from has lost a label: put ${labels.attempt}=${attemptIn(dataVolume)} back, then it is cut again, or delete the claim, then the image is downloaded again`
      : `${cutName} is gone, and the operator does not hear of ${claimName} it was cut from: it is cut again when it does; if that does not come, look at the connection of the operator to the API server`;
  // Controllers of snapshots take errors back, and nothing else holds the data any more: removed only when a person says so.
  if (cut?.status?.readyToUse === true && !isGoing(cut))
    return `${cutName} cannot be cloned (${shorten(cut.status.error?.message ?? 'it is bound to no content')}), and ${claimName} it was cut from is gone: look at the driver, or delete the snapshot, then the image is downloaded again`;
  return undefined;
}

/** Names of DataVolumes end in the number of their attempt. */
const attemptIn = (dataVolume: string): string => dataVolume.slice(dataVolume.lastIndexOf('-') + 1);
