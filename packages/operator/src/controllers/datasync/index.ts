/** The DataSync controller: what it watches, and who is woken by what. */
import type { DataSync, VMDiskImage } from '@terrain/api';
import type { Controller, KubeObject, Manager } from '@terrain/runtime';
import { namespaceType } from '#platform/core.ts';
import { addIndexes, type DataSyncInformers, dataSyncsOf, goingIn } from './observe.ts';
import { type DataSyncDeps, dataSyncType, imageType, reconcileDataSync } from './reconcile.ts';

/** News of a hundred images are gathered this long, so that they are not a hundred status writes. */
const gatherMs = 200;

export interface DataSyncControllerOptions extends Pick<DataSyncDeps, 'ready' | 'defaultDiskSize' | 'serverNow'> {
  readonly manager: Manager;
}

/** Adds the controller to a manager. */
export function addDataSyncController({ manager, ...sources }: DataSyncControllerOptions): Controller<DataSync> {
  const informers: DataSyncInformers = {
    dataSyncs: manager.informers.get<DataSync>(dataSyncType),
    images: manager.informers.get<VMDiskImage>(imageType),
    namespaces: manager.informers.get<KubeObject>(namespaceType, { metadataOnly: true }),
  };
  addIndexes(informers);
  const deps: DataSyncDeps = {
    ...sources,
    informers,
    api: manager.api,
    record: (object, happening) => manager.events.record(object, happening),
  };
  const controller = manager.controller<DataSync>({
    name: 'datasync',
    for: informers.dataSyncs,
    reconcile: ({ namespace, name }, context) => reconcileDataSync(deps, `${namespace}/${name}`, context),
  });
  controller.watches(informers.namespaces, (namespace) => goingIn(informers, namespace));
  informers.images.onChange((change) => {
    if (change.type === 'deleted') {
      for (const key of dataSyncsOf(informers, change.old)) controller.queue.add(key, 'urgent');
      return;
    }
    const keys = dataSyncsOf(informers, change.new);
    if (change.type === 'updated') for (const key of dataSyncsOf(informers, change.old)) keys.add(key);
    for (const key of keys) controller.queue.addAfter(key, gatherMs);
  });
  return controller;
}
