import { isDeepStrictEqual } from 'node:util';
import { type Decision, type Effect, earliest, nothing, patchOf, statusPatchOf } from '../engine/decision.ts';
import { notes, simulatedLabels } from '../marks.ts';
import type { SnapshotStatus, Volume, VolumeSnapshotClass, VolumeSnapshotContent } from '../objects.ts';
import { bytesOf, formatBinary } from '../quantity.ts';
import { parseDuration } from '../scenario/duration.ts';
import { elapsedMs, instantOf, readInstant, type Time, timestamp } from '../time.ts';
import { chooseClass, isRefusal } from './choose-class.ts';
import { decideDeletion, withFinalizers } from './delete.ts';
import { protectClaim, releaseClaim } from './protection.ts';
import type { SnapshotView } from './view.ts';

/** After an error the controller looks again after 1 s, then 2 s more, 4 s more ... up to every 5 minutes; it does not watch the claim. */
const firstRetryMs = 1000;
const longestRetryMs = 300_000;

/** What happens next to a VolumeSnapshot. Follows external-snapshotter 8.6, pkg/common-controller/snapshot_controller.go. */
export function decideSnapshot(view: SnapshotView, time: Time): Decision {
  const { snapshot, content } = view;
  if (snapshot.metadata.deletionTimestamp !== undefined) return decideDeletion(view);
  const isPrepared = snapshot.spec.source.volumeSnapshotContentName !== undefined;
  if (content !== undefined) return isPrepared ? bindPrepared(view, content, time) : cut(view, time);
  const retryMs = nextLook(view, time);
  if (retryMs > time.nowMs) return { effects: [], ...earliest(retryMs) };
  return isPrepared ? tell(view, 'VolumeSnapshotContent is missing', time) : begin(view, time);
}

/** The instant of the next look at a snapshot that could not be cut yet; now, unless an error was told. */
function nextLook({ snapshot }: SnapshotView, time: Time): number {
  const firstMs = Date.parse(snapshot.metadata.creationTimestamp ?? '');
  const toldMs = readInstant(snapshot.metadata.annotations, notes.since);
  if (snapshot.status?.error === undefined || toldMs === undefined || Number.isNaN(firstMs)) return time.nowMs;
  let offsetMs = 0;
  let stepMs = firstRetryMs;
  // `since` is the last look; the next one is the first of the series after it.
  while ((instantOf(time, firstMs, offsetMs) ?? 0) <= toldMs) {
    offsetMs += stepMs;
    stepMs = Math.min(stepMs * 2, longestRetryMs);
  }
  return instantOf(time, firstMs, offsetMs) ?? time.nowMs;
}

function begin(view: SnapshotView, time: Time): Decision {
  const { snapshot, claim, volume } = view;
  const claimName = snapshot.spec.source.persistentVolumeClaimName ?? '';
  const chosen = chooseClass(view);
  if (isRefusal(chosen)) return tell(view, chosen.message, time);
  if (!view.drivers.includes(chosen.driver)) return nothing;
  const creating = 'Failed to create snapshot content with error ';
  if (claim === undefined)
    return tell(
      view,
      `${creating}snapshot controller failed to update ${snapshot.metadata.name} on API server: cannot get claim from snapshot`,
      time,
    );
  const failed = `${creating}failed to get input parameters to create snapshot ${snapshot.metadata.name}: `;
  if (claim.status?.phase !== 'Bound')
    return tell(view, `${failed}"the PVC ${claimName} is not yet bound to a PV, will not attempt to take a snapshot"`, time);
  if (volume === undefined) return { effects: [] };
  if (volume.spec.csi === undefined)
    return tell(view, `${creating}cannot find CSI PersistentVolumeSource for volume ${volume.metadata.name}`, time);
  const isAtOnce = durationMs(view) === 0 && errorFor(view, time) === undefined;
  return {
    effects: [
      ...withFinalizers(view, chosen),
      // A snapshot that never becomes ready pins its claim, so one that is cut in no time need not.
      ...(isAtOnce ? [] : protectClaim(claim)),
      { do: 'create', kind: 'VolumeSnapshotContent', object: desiredContent(view, chosen, volume, time) },
    ],
  };
}

/** Says why it cannot be cut, once, and notes the look. */
function tell(view: SnapshotView, message: string, time: Time): Decision {
  const { snapshot } = view;
  const known = snapshot.status?.error?.message === message;
  const looked = patchOf('VolumeSnapshot', snapshot, { metadata: { annotations: { [notes.since]: String(time.nowMs) } } });
  const effects: Effect[] = known
    ? [looked]
    : [
        statusPatchOf('VolumeSnapshot', snapshot, { error: { time: timestamp(time.nowMs), message }, readyToUse: false }),
        looked,
        { do: 'event', about: snapshot, type: 'Warning', reason: eventReason(message), message },
      ];
  return { effects };
}

function eventReason(message: string): string {
  if (message.startsWith('Failed to set default')) return 'SetDefaultSnapshotClassFailed';
  return message.startsWith('Failed to get snapshot class') ? 'GetSnapshotClassFailed' : 'SnapshotContentCreationFailed';
}

function desiredContent({ snapshot }: SnapshotView, chosen: VolumeSnapshotClass, volume: Volume, time: Time) {
  const { name, namespace, uid } = snapshot.metadata;
  return {
    metadata: {
      name: `snapcontent-${uid}`,
      labels: simulatedLabels,
      annotations: { [notes.since]: String(time.nowMs) },
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
    },
    spec: {
      deletionPolicy: chosen.deletionPolicy,
      driver: chosen.driver,
      source: { volumeHandle: volume.spec.csi?.volumeHandle },
      sourceVolumeMode: volume.spec.volumeMode ?? 'Filesystem',
      volumeSnapshotClassName: chosen.metadata.name,
      volumeSnapshotRef: { apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshot', name, namespace, uid },
    },
  };
}

function cut(view: SnapshotView, time: Time): Decision {
  const { snapshot, content, claim } = view;
  if (content === undefined) return nothing;
  const sinceMs = readInstant(content.metadata.annotations, notes.since) ?? time.nowMs;
  const error = errorFor(view, time, sinceMs);
  const readyMs = error === undefined ? durationMs(view) : error.untilMs;
  const bound = { boundVolumeSnapshotContentName: content.metadata.name };
  if (error !== undefined) {
    const status = { ...bound, readyToUse: false, error: { time: timestamp(sinceMs), message: error.message } };
    const told =
      content.status?.error?.message === error.message
        ? []
        : [statusPatchOf('VolumeSnapshotContent', content, { readyToUse: false, error: status.error })];
    return { effects: [...told, ...writeStatus(view, status)], ...earliest(instantOf(time, sinceMs, readyMs)) };
  }
  if (snapshot.status?.readyToUse === true) return { effects: releaseClaim(view) };
  // However late: a snapshot that takes time is seen before it is ready.
  const isUnseen = readyMs > 0 && snapshot.status?.boundVolumeSnapshotContentName === undefined;
  if (isUnseen || elapsedMs(time, sinceMs) < readyMs)
    return { effects: writeStatus(view, { ...bound, readyToUse: false }), ...earliest(instantOf(time, sinceMs, readyMs)) };
  const bytes =
    bytesOf(claim?.status?.capacity?.storage ?? claim?.spec.resources?.requests?.storage) ?? content.status?.restoreSize ?? 0;
  const effects: Effect[] = [];
  if (content.status?.readyToUse !== true)
    effects.push(
      statusPatchOf('VolumeSnapshotContent', content, {
        creationTime: time.nowMs * 1_000_000,
        readyToUse: true,
        restoreSize: bytes,
        snapshotHandle: snapshot.metadata.uid,
        error: null,
      }),
    );
  effects.push(
    ...writeStatus(view, { ...bound, creationTime: timestamp(time.nowMs), restoreSize: formatBinary(bytes), readyToUse: true }),
  );
  return { effects: [...effects, ...releaseClaim(view)] };
}

/** A snapshot of a content somebody prepared: the two must point at each other. */
function bindPrepared(view: SnapshotView, content: VolumeSnapshotContent, time: Time): Decision {
  const { snapshot } = view;
  const { name, namespace, uid } = content.spec.volumeSnapshotRef;
  const isOurs =
    name === snapshot.metadata.name &&
    namespace === snapshot.metadata.namespace &&
    (uid === undefined || uid === snapshot.metadata.uid);
  if (!isOurs || !view.drivers.includes(content.spec.driver)) return nothing;
  if (snapshot.status?.readyToUse === true) return nothing;
  const bytes = content.status?.restoreSize;
  const effects: Effect[] =
    uid === undefined
      ? [patchOf('VolumeSnapshotContent', content, { spec: { volumeSnapshotRef: { uid: snapshot.metadata.uid } } })]
      : [];
  const status: SnapshotStatus = {
    boundVolumeSnapshotContentName: content.metadata.name,
    creationTime: timestamp(time.nowMs),
    readyToUse: true,
    ...(bytes === undefined ? {} : { restoreSize: formatBinary(bytes) }),
  };
  return { effects: [...effects, ...writeStatus(view, status)] };
}

/** The error is cleared by leaving it out. */
function writeStatus({ snapshot }: SnapshotView, status: SnapshotStatus): readonly Effect[] {
  const current = snapshot.status ?? {};
  if (isDeepStrictEqual(current, status)) return [];
  return [
    statusPatchOf('VolumeSnapshot', snapshot, {
      ...status,
      ...(status.error === undefined && current.error !== undefined ? { error: null } : {}),
    }),
  ];
}

function durationMs({ switches, durations }: SnapshotView): number {
  if (switches.has('snapshot-never')) return Number.POSITIVE_INFINITY;
  return parseDuration(switches.get('snapshot-slow') ?? '') ?? durations.snapshot;
}

/** The driver's refusal, while it lasts. The controller keeps trying and clears it when a try succeeds. */
function errorFor(
  { switches, claim }: SnapshotView,
  time: Time,
  sinceMs = time.nowMs,
): { message: string; untilMs: number } | undefined {
  const lasts = switches.get('snapshot-error');
  if (lasts === undefined) return undefined;
  const untilMs = lasts === '' ? Number.POSITIVE_INFINITY : (parseDuration(lasts) ?? 0);
  if (elapsedMs(time, sinceMs) >= untilMs) return undefined;
  const cause = `failed to take snapshot of the volume ${claim?.metadata.uid ?? ''}: "rpc error: code = Internal desc = simulated"`;
  return { message: `Failed to check and update snapshot content: ${cause}`, untilMs };
}
