import type { KubeObject } from '@terrain/runtime';
import { cdiAnnotations } from '../cdi/annotations.ts';
import { notes, simulatedLabel } from '../marks.ts';

/** What is read of the API server's question. */
export interface ReviewRequest {
  readonly uid: string;
  readonly namespace: string;
  readonly object: KubeObject;
}

/** Why a DataVolume may not be created beside the claim of its name, in the words of CDI's webhook; undefined when it may. */
export function claimRefusal(dataVolume: KubeObject, claim: KubeObject | undefined): string | undefined {
  if (claim === undefined || dataVolume.metadata.annotations?.[cdiAnnotations.allowAdoption] === 'true') return undefined;
  const { name, namespace, labels, ownerReferences = [] } = claim.metadata;
  // CDI's webhook lets the claims of its own DataVolumes pass.
  if (labels?.[simulatedLabel] === 'true' || ownerReferences.some(({ kind }) => kind === 'DataVolume')) return undefined;
  return `Destination PVC ${namespace}/${name} already exists`;
}

/** Looks at the claim. One that cannot be read keeps nobody from creating a DataVolume, which somebody is told. */
export async function judgeClaim(
  { namespace, object }: ReviewRequest,
  find: (at: { readonly name: string; readonly namespace: string }) => Promise<KubeObject | undefined>,
  onTrouble: (sentence: string) => void,
): Promise<string | undefined> {
  const { name } = object.metadata;
  if (name === undefined) return undefined;
  try {
    return claimRefusal(object, await find({ name, namespace }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onTrouble(
      `DataVolume ${namespace}/${name} is created whether or not somebody else has a claim of that name, which cannot be read: ${why}`,
    );
    return undefined;
  }
}

/** The question whether somebody answers at all, which only this simulator knows the words of. */
export const probeRefusal = (dataVolume: KubeObject, words: string): string | undefined =>
  dataVolume.metadata.annotations?.[notes.probe] === words ? words : undefined;

/** An answer in the API server's form; refused as CDI does, with code 422. */
export function reviewAnswer(uid: string, refusal: string | undefined): object {
  const status = { status: 'Failure', code: 422, reason: 'Invalid', message: refusal };
  const response = refusal === undefined ? { uid, allowed: true } : { uid, allowed: false, status };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}
