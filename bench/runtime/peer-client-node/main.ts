/** The bench's toy controller as one writes it with what @kubernetes/client-node brings along: two informers, a set of names, some workers. */
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { Report } from '../contender/report.ts';
import { fromEnvironment } from '../contender/settings.ts';
import { cleanupFinalizer, desiredConfigMap, desiredStatus, isServed, type Widget, type WidgetStatus } from '../widget.ts';

type CachedWidget = KubernetesObject & { spec: Widget['spec']; status?: WidgetStatus };

const settings = fromEnvironment(process.env);
const { namespace } = settings;
const report = new Report(settings.expect);
const config = new KubeConfig();
config.loadFromFile(settings.kubeconfig);
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const kind = { group: 'bench.terrain.dev', version: 'v1', namespace, plural: 'widgets' };

const widgets = makeInformer<CachedWidget>(config, `/apis/bench.terrain.dev/v1/namespaces/${namespace}/widgets`, async () => {
  return (await custom.listNamespacedCustomObject(kind)) as KubernetesListObject<CachedWidget>;
});
const configMaps = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
  core.listNamespacedConfigMap({ namespace }),
);

const waiting = new Set<string>();
const working = new Set<string>();
let isSynced = false;

function enqueue(name: string | undefined): void {
  if (name !== undefined) waiting.add(name);
  if (isSynced) work();
}

function work(): void {
  for (const name of waiting) {
    if (working.size >= settings.workers) return;
    if (working.has(name)) continue;
    waiting.delete(name);
    working.add(name);
    void pass(name);
  }
}

async function pass(name: string): Promise<void> {
  try {
    await reconcile(name);
    report.passed(name);
  } catch {
    setTimeout(enqueue, 1000, name);
  }
  working.delete(name);
  work();
}

async function reconcile(name: string): Promise<void> {
  const widget = widgets.get(name, namespace) as Widget | undefined;
  if (widget === undefined) return;
  if (widget.metadata.deletionTimestamp !== undefined) return cleanUp(name, widget);
  const desired = desiredConfigMap(widget) as unknown as V1ConfigMap;
  const child = configMaps.get(name, namespace);
  if (child === undefined) await core.createNamespacedConfigMap({ namespace, body: desired }).catch(unless(409));
  else if (child.data?.text !== desired.data?.text || child.data?.size !== desired.data?.size)
    await core.replaceNamespacedConfigMap({ name, namespace, body: desired });
  if (isServed(widget)) return;
  const body = {
    apiVersion: 'bench.terrain.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace },
    status: desiredStatus(widget),
  };
  await custom.patchNamespacedCustomObjectStatus(
    { ...kind, name, body, fieldManager: 'bench-client-node', force: true },
    setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
  );
}

async function cleanUp(name: string, widget: Widget): Promise<void> {
  const finalizers = widget.metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer) ?? [];
  await core.deleteNamespacedConfigMap({ name, namespace }).catch(unless(404));
  await custom
    .patchNamespacedCustomObject(
      { ...kind, name, body: { metadata: { finalizers, resourceVersion: widget.metadata.resourceVersion } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    )
    .catch(unless(404));
}

function unless(code: number): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ApiException) || error.code !== code) throw error;
  };
}

widgets.on('change', (widget) => enqueue(widget.metadata?.name));
configMaps.on('change', (child) => enqueue(child.metadata?.ownerReferences?.find(({ controller }) => controller)?.name));
for (const informer of [widgets, configMaps]) informer.on('error', () => setTimeout(() => informer.start(), 5000));
await Promise.all([widgets.start(), configMaps.start()]);
isSynced = true;
report.synced();
work();
