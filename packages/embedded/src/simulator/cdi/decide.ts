import { asSeen, controllerReference, type Decision, type Effect, isControlledBy, nothing, patchOf } from '../engine/decision.ts';
import type { Claim, DataVolume } from '../objects.ts';
import type { Time } from '../time.ts';
import { cdiAnnotations } from './annotations.ts';
import { decideClone, releaseClone } from './decide-clone.ts';
import { decideImport } from './decide-import.ts';
import { importSourceOf } from './import-script.ts';
import { report } from './report.ts';
import type { DataVolumeView } from './view.ts';

/** What happens next to a DataVolume. Pure: the same view at the same time gives the same answer. */
export function decideDataVolume(view: DataVolumeView, time: Time): Decision {
  const { dataVolume, claim } = view;
  if (dataVolume.metadata.deletionTimestamp !== undefined) return { effects: releaseClone(dataVolume) };
  if (claim !== undefined && mayAdopt(dataVolume, claim)) return { effects: adopt(dataVolume, claim) };
  if (claim !== undefined && (claim.metadata.deletionTimestamp !== undefined || !isControlledBy(claim, dataVolume)))
    return refuseClaim(view, time);
  const { source } = dataVolume.spec;
  if (source?.snapshot !== undefined) return decideClone(view, time);
  const imported = importSourceOf(source);
  if (imported !== undefined) return decideImport(view, imported, time);
  const message =
    'The simulator plays the sources http, s3, gcs, registry, blank and snapshot; this DataVolume has none of them.';
  return { effects: report(view, { phase: '', reason: 'NotSimulated', message }, time) };
}

/** A claim that was there before a clone of its name: taken up with what is on it, if the DataVolume allows that or the claim was filled for it. */
function mayAdopt({ metadata, spec }: DataVolume, claim: Claim): boolean {
  if (spec.source?.snapshot === undefined) return false;
  const { annotations = {}, ownerReferences = [], deletionTimestamp } = claim.metadata;
  if (deletionTimestamp !== undefined || ownerReferences.some(({ controller }) => controller === true)) return false;
  return (
    metadata.annotations?.[cdiAnnotations.allowAdoption] === 'true' || annotations[cdiAnnotations.populatedFor] === metadata.name
  );
}

/** A claim that a DataVolume on its way out has let go of is seen without it before the DataVolume is seen to go: it would take the claim along. */
function adopt(dataVolume: DataVolume, claim: Claim): Effect[] {
  const { ownerReferences = [], annotations, resourceVersion } = claim.metadata;
  const owners = [...ownerReferences, controllerReference('DataVolume', dataVolume)];
  // What was filled by somebody else counts as filled.
  const filled = { [cdiAnnotations.clonePhase]: 'Succeeded', [cdiAnnotations.populatedFor]: dataVolume.metadata.name };
  const metadata = { resourceVersion, ownerReferences: owners, annotations: { ...annotations, ...filled } };
  return [asSeen('DataVolume', dataVolume), patchOf('PersistentVolumeClaim', claim, { metadata })];
}

/** Somebody else has the claim's name, or it is still going: CDI waits and says so. */
function refuseClaim(view: DataVolumeView, time: Time): Decision {
  const { dataVolume, claim } = view;
  // With a phase the DataVolume had this claim, and the claim is on its way out.
  if (claim === undefined || dataVolume.status?.phase !== undefined) return nothing;
  const isGoing = claim.metadata.deletionTimestamp !== undefined;
  const reason = isGoing ? 'ErrResourceMarkedForDeletion' : 'ErrResourceExists';
  const message = `Resource "${claim.metadata.name}" ${isGoing ? 'marked for deletion' : 'already exists and is not managed by DataVolume'}`;
  return {
    effects: [
      { do: 'event', about: dataVolume, type: 'Warning', reason, message },
      ...report(view, { phase: '', reason, message }, time),
    ],
  };
}
