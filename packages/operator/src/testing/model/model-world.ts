/** The cluster as the model sees it: what is stored, in which order it changed, and what the API server refuses. */
import {
  emptyLedger,
  formatLedger,
  type LedgerEntry,
  labels,
  ledgerName,
  parseLedger,
  sourceHash,
  type VMDiskImageStatus,
} from '@terrain/api';
import { ApiError, controllerUid, type KubeObject } from '@terrain/runtime';
import type { StoredImage } from '#controllers/vmdiskimage/snapshot.ts';
import type { DataVolume } from '#platform/cdi.ts';
import type { Claim, ConfigMap } from '#platform/core.ts';
import type { VolumeSnapshot } from '#platform/snapshot.ts';

export type ModelKind = 'images' | 'dataVolumes' | 'claims' | 'snapshots' | 'ledger';

export interface ModelEvent {
  readonly kind: ModelKind;
  readonly key: string;
  readonly revision: number;
  /** Undefined when it was deleted. */
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
}

export const ledgerKey = `sync-operator/${ledgerName}`;
/** How far behind the policy that guards creates may see the ledger. */
const policyLagMs = 40;

export const keyFor = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
const refuse = (code: number, reason: string, message: string): ApiError =>
  new ApiError(code, { reason, message, code }, 'model');
const notFound = (): ApiError => refuse(404, 'NotFound', 'not found');

export class ModelWorld {
  readonly now: () => number;
  readonly random: () => number;
  readonly events: ModelEvent[] = [];
  readonly objects: Record<ModelKind, Map<string, KubeObject>> = {
    images: new Map(),
    dataVolumes: new Map(),
    claims: new Map(),
    snapshots: new Map(),
    ledger: new Map(),
  };
  /** Snapshots whose names begin like this are over a quota. */
  noQuotaFor: string | undefined;
  readonly #ledgerHistory: { readonly atMs: number; readonly object: ConfigMap | undefined }[] = [];
  readonly #onEvent: (event: ModelEvent) => void;
  #uids = 0;

  constructor(now: () => number, random: () => number, onEvent: (event: ModelEvent) => void) {
    this.now = now;
    this.random = random;
    this.#onEvent = onEvent;
    this.createLedger(formatLedger(emptyLedger));
  }

  get revision(): number {
    return this.events.length;
  }

  get<T extends KubeObject>(kind: ModelKind, key: string): T | undefined {
    return this.objects[kind].get(key) as T | undefined;
  }

  list<T extends KubeObject>(kind: ModelKind): T[] {
    return [...this.objects[kind].values()] as T[];
  }

  entries(): ReadonlyMap<string, LedgerEntry> {
    const reading = parseLedger(this.get<ConfigMap>('ledger', ledgerKey)?.data);
    return reading.kind === 'ledger' ? reading.ledger.entries : new Map();
  }

  store(kind: ModelKind, object: KubeObject): KubeObject {
    const key = keyFor(object);
    const before = this.objects[kind].get(key);
    const revision = this.revision + 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    this.objects[kind].set(key, stored);
    this.#happened({ kind, key, revision, object: stored, before });
    return stored;
  }

  remove(kind: ModelKind, key: string): void {
    const before = this.objects[kind].get(key);
    if (before === undefined) return;
    this.objects[kind].delete(key);
    this.#happened({ kind, key, revision: this.revision + 1, object: undefined, before });
    if (kind === 'images') for (const child of ['dataVolumes', 'snapshots'] as const) this.#orphan(child, before.metadata.uid);
  }

  #orphan(kind: 'dataVolumes' | 'snapshots', uid: string | undefined): void {
    for (const child of this.list(kind)) if (controllerUid(child) === uid) this.markDeleted(kind, child);
  }

  #happened(event: ModelEvent): void {
    this.events.push(event);
    if (event.kind === 'ledger') this.#ledgerHistory.push({ atMs: this.now(), object: event.object as ConfigMap | undefined });
    this.#onEvent(event);
  }

  fresh(object: KubeObject): KubeObject {
    const metadata = {
      ...object.metadata,
      uid: `uid-${String(++this.#uids).padStart(4, '0')}`,
      creationTimestamp: new Date(this.now() - (this.now() % 1000)).toISOString(),
    };
    return { ...object, metadata };
  }

  // What an operator may ask for.

  writeStatus(image: StoredImage, status: VMDiskImageStatus): StoredImage {
    const current = this.#exact('images', image);
    if (JSON.stringify(current.status) === JSON.stringify(status)) return current as StoredImage;
    return this.store('images', { ...current, status } as KubeObject) as StoredImage;
  }

  setFinalizers(image: StoredImage, finalizers: readonly string[]): StoredImage | undefined {
    const current = this.#exact('images', image);
    if (finalizers.length === 0 && current.metadata.deletionTimestamp !== undefined) {
      this.remove('images', keyFor(image));
      return undefined;
    }
    return this.store('images', { ...current, metadata: { ...current.metadata, finalizers } }) as StoredImage;
  }

  #exact(kind: ModelKind, object: KubeObject): StoredImage {
    const current = this.objects[kind].get(keyFor(object));
    if (current === undefined || current.metadata.uid !== object.metadata.uid) throw notFound();
    if (current.metadata.resourceVersion !== object.metadata.resourceVersion)
      throw refuse(409, 'Conflict', 'the object has been modified');
    return current as StoredImage;
  }

  createDataVolume(manifest: DataVolume): DataVolume {
    const uid = controllerUid(manifest) ?? '';
    const existing = this.get<DataVolume>('dataVolumes', keyFor(manifest));
    if (existing !== undefined) return existing;
    const seen = this.#ledgerAsPolicySeesIt();
    const reading = parseLedger(seen?.data);
    const entry = reading.kind === 'ledger' ? reading.ledger.entries.get(uid) : undefined;
    if (entry?.state !== 'open' || String(entry.attempt) !== manifest.metadata.labels?.[labels.attempt])
      throw refuse(403, 'Forbidden', "ValidatingAdmissionPolicy 'terrain-datavolume-slot' denied request: no open entry");
    return this.store('dataVolumes', { ...this.fresh(manifest), status: { phase: '' } } as KubeObject) as DataVolume;
  }

  #ledgerAsPolicySeesIt(): ConfigMap | undefined {
    const limit = this.now() - this.random() * policyLagMs;
    const seen = this.#ledgerHistory.filter(({ atMs }) => atMs <= limit).at(-1) ?? this.#ledgerHistory[0];
    return seen?.object;
  }

  createSnapshot(manifest: VolumeSnapshot): VolumeSnapshot {
    const existing = this.get<VolumeSnapshot>('snapshots', keyFor(manifest));
    if (this.noQuotaFor !== undefined && manifest.metadata.name?.startsWith(this.noQuotaFor) === true)
      throw refuse(403, 'Forbidden', `volumesnapshots "${manifest.metadata.name}" is forbidden: exceeded quota: snapshots`);
    return existing ?? (this.store('snapshots', this.fresh(manifest)) as VolumeSnapshot);
  }

  /** By UID only. */
  deleteChild(kind: 'dataVolumes' | 'snapshots', object: KubeObject): void {
    const current = this.objects[kind].get(keyFor(object));
    if (current === undefined || current.metadata.uid !== object.metadata.uid) return;
    this.markDeleted(kind, current);
  }

  markDeleted(kind: ModelKind, current: KubeObject): void {
    if (current.metadata.deletionTimestamp !== undefined) return;
    this.store(kind, { ...current, metadata: { ...current.metadata, deletionTimestamp: new Date(this.now()).toISOString() } });
  }

  createLedger(data: Record<string, string>): ConfigMap {
    if (this.objects.ledger.has(ledgerKey)) throw refuse(409, 'AlreadyExists', 'exists');
    return this.store('ledger', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ledgerName, namespace: 'sync-operator', uid: `ledger-${++this.#uids}` },
      data,
    } as KubeObject) as ConfigMap;
  }

  replaceLedger(object: ConfigMap): ConfigMap {
    this.#exact('ledger', object);
    const reading = parseLedger(object.data);
    if (reading.kind === 'ledger') {
      const before = this.entries();
      const added = [...reading.ledger.entries.keys()].filter((uid) => !before.has(uid));
      if (added.length > 0 && reading.ledger.entries.size > reading.ledger.limit)
        throw refuse(403, 'Forbidden', 'more entries than the limit');
    }
    return this.store('ledger', object) as ConfigMap;
  }

  // What the platform does.

  /** Ends a deleted child for good, with what hangs on it. */
  collect(kind: 'dataVolumes' | 'snapshots', object: KubeObject): void {
    this.remove(kind, keyFor(object));
    if (kind === 'dataVolumes') this.remove('claims', keyFor(object));
  }

  volumeStatus(dataVolume: DataVolume, status: DataVolume['status']): void {
    this.store('dataVolumes', { ...dataVolume, status: { ...dataVolume.status, ...status } } as KubeObject);
  }

  bindClaim(dataVolume: DataVolume): void {
    const { name, namespace, labels: copied } = dataVolume.metadata;
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace, labels: copied },
      status: { phase: 'Bound' },
    } as Claim;
    this.store('claims', this.fresh(claim));
  }

  /** Whether the image has what its spec asks for, or was given up. */
  isSettled(image: StoredImage): boolean {
    const { artifact, retry } = image.status ?? {};
    if (retry?.gaveUp !== undefined && retry.sourceHash === sourceHash(image.spec)) return true;
    const cut =
      artifact === undefined
        ? undefined
        : this.get<VolumeSnapshot>('snapshots', `${image.metadata.namespace}/${artifact.volumeSnapshot}`);
    return artifact?.sourceHash === sourceHash(image.spec) && cut?.status?.readyToUse === true;
  }
}
