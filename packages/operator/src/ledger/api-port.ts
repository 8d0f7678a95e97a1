/** The way to the ledger through the API server. */
import { dataVolumeName, labels, ledgerName, managerName, pelotechGroup } from '@terrain/api';
import { type ApiTransport, controllerUid, isNotFound, Resource } from '@terrain/runtime';
import { type DataVolume, dataVolumeType, isUnfinished } from '#platform/cdi.ts';
import { type ConfigMap, configMapType } from '#platform/core.ts';
import type { LedgerPort } from './port.ts';
import type { RunningImport } from './rebuild.ts';

export function ledgerPort(api: ApiTransport, namespace: string): LedgerPort {
  const configMaps = new Resource<ConfigMap>(api, configMapType);
  const dataVolumes = new Resource<DataVolume>(api, dataVolumeType);
  return {
    read: (signal) => configMaps.get({ name: ledgerName, namespace }, { signal }).catch(absent),
    create: (data, signal) =>
      configMaps.create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: ledgerName, namespace, labels: { [labels.managedBy]: managerName } },
          data,
        },
        { signal, fieldManager: managerName },
      ),
    replace: (object, signal) => configMaps.replace(object, { signal }),
    async runningImports(signal) {
      const selector = `${labels.managedBy}=${managerName},${labels.attempt}`;
      const found = await dataVolumes.list({}, { labelSelector: selector, signal }).catch(absent);
      return (found?.items ?? []).flatMap(runningImport);
    },
    async isRunning(uid, { image, attempt }, signal) {
      const [inNamespace = '', name = ''] = image.split('/');
      const at = { name: dataVolumeName({ name, uid, attempt }), namespace: inNamespace };
      const dataVolume = await dataVolumes.get(at, { signal }).catch(absent);
      return dataVolume !== undefined && controllerUid(dataVolume) === uid && isUnfinished(dataVolume);
    },
  };
}

/** A DataVolume that may still download, as the ledger knows it. */
function runningImport(dataVolume: DataVolume): readonly RunningImport[] {
  const { metadata } = dataVolume;
  const owner = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'VMDiskImage' && apiVersion.startsWith(`${pelotechGroup}/`),
  );
  const attempt = Number(metadata.labels?.[labels.attempt]);
  if (owner === undefined || !isUnfinished(dataVolume) || !Number.isSafeInteger(attempt) || attempt < 1) return [];
  return [
    {
      uid: owner.uid,
      image: `${metadata.namespace}/${owner.name}`,
      attempt,
      since: metadata.creationTimestamp ?? new Date(0).toISOString(),
      isEnding: metadata.deletionTimestamp !== undefined,
    },
  ];
}

function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
  return undefined;
}
