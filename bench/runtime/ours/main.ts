/** The bench's toy controller on @terrain/runtime. */
import { createLogger, done, keyText, Manager, shutdownSignal } from '@terrain/runtime';
import { Report } from '../contender/report.ts';
import { fromEnvironment, readCredentials } from '../contender/settings.ts';
import {
  type ConfigMap,
  cleanupFinalizer,
  configMaps,
  desiredConfigMap,
  desiredStatus,
  type Widget,
  widgets,
} from '../widget.ts';

const settings = fromEnvironment(process.env);
const { namespace, lease, workers } = settings;
const report = new Report(settings.expect);
const manager = new Manager({
  name: 'bench-ours',
  credentials: readCredentials(settings),
  log: createLogger({ level: 'warn', destination: process.stderr }),
  ...(lease === undefined ? {} : { election: { namespace, name: lease } }),
});
const owners = manager.informers.get<Widget>(widgets, { namespace });
const children = manager.informers.get<ConfigMap>(configMaps, { namespace });

manager
  .controller<Widget>({
    name: 'widget',
    for: owners,
    workers,
    reconcile: async (key, { writer }) => {
      const widget = owners.store.get(keyText(key));
      const child = children.store.get(keyText(key));
      if (widget !== undefined && widget.metadata.deletionTimestamp !== undefined) {
        if (child !== undefined) await writer.delete(configMaps, child);
        await writer.removeFinalizer(widgets, widget, cleanupFinalizer);
      } else if (widget !== undefined) {
        await writer.child(configMaps, desiredConfigMap(widget), child);
        await writer.status(widgets, widget, desiredStatus(widget));
      }
      report.passed(key.name);
      return done;
    },
  })
  .owns(children);

void manager.informers.synced().then(() => report.synced());
await manager.run(shutdownSignal());
process.exit(0);
