/** A volume: its claim, and the Job that fills it once. */
import { pullSecretName, volumeClaimName, volumeSeedJobName, type WorkspaceVolume } from '@terrain/api';
import type { Claim } from '#platform/core.ts';
import { shownQuantity } from '#platform/quantity.ts';
import type { Job } from '#platform/workload.ts';
import { namespaceOf, ownerOf, ownLabels } from './facts.ts';
import type { StoredWorkspace } from './snapshot.ts';

/** On a claim: it has been filled, from this image and directory, and is never filled again. On a Job: the claim it fills, by UID. */
export const volumeAnnotations = { filled: 'pelotech.ot/filled', claim: 'pelotech.ot/claim' } as const;

/** Whether the volume starts with content. */
export const isFilled = ({ spec }: StoredWorkspace, { localPath }: WorkspaceVolume): boolean =>
  spec.contentImage !== undefined && localPath !== undefined;

/** `filledFrom` is kept once it is known, because it is the only record that people's changes must not be written over. */
export function desiredClaim(workspace: StoredWorkspace, volume: WorkspaceVolume, filledFrom: string | undefined): DesiredClaim {
  const { name, size, storageClass = '' } = volume;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: volumeClaimName(name),
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      ...(filledFrom === undefined ? {} : { annotations: { [volumeAnnotations.filled]: filledFrom } }),
      ownerReferences: [ownerOf(workspace)],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: shownQuantity(size) } },
      ...(storageClass === '' ? {} : { storageClassName: storageClass }),
    },
  };
}

type DesiredClaim = Claim & {
  readonly spec: {
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: { readonly storage: string } };
    readonly storageClassName?: string;
  };
};

export const fillSource = ({ spec }: StoredWorkspace, { localPath }: WorkspaceVolume): string =>
  `${spec.contentImage}${localPath}`;

const target = '/target';

/** Copies the directory of the content image into the volume. The image needs a shell with cp, and no right of any kind. */
export function desiredSeedJob(workspace: StoredWorkspace, volume: WorkspaceVolume, claimUid: string): Job {
  const { contentImage = '', imagePullSecrets = [] } = workspace.spec;
  const claimName = volumeClaimName(volume.name);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: volumeSeedJobName(volume.name),
      namespace: namespaceOf(workspace),
      labels: ownLabels(workspace),
      annotations: { [volumeAnnotations.claim]: claimUid, [volumeAnnotations.filled]: fillSource(workspace, volume) },
      ownerReferences: [ownerOf(workspace)],
    },
    spec: {
      backoffLimit: 6,
      template: {
        metadata: { labels: ownLabels(workspace) },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
          restartPolicy: 'Never',
          ...(imagePullSecrets.length === 0
            ? {}
            : { imagePullSecrets: imagePullSecrets.map(({ name }) => ({ name: pullSecretName(name) })) }),
          containers: [
            {
              name: 'fill',
              image: contentImage,
              // The path is an argument, never part of the script: nothing in it is read by the shell.
              command: ['/bin/sh', '-ec', 'cp -a "$1/." "$2"', 'fill', volume.localPath ?? '/', target],
              volumeMounts: [{ name: 'volume', mountPath: target }],
            },
          ],
          volumes: [{ name: 'volume', persistentVolumeClaim: { claimName } }],
        },
      },
    },
  };
}
