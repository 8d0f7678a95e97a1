import type { PlatformRecord, Thing } from '../record.ts';
import { isPhase, statusOf } from '../things.ts';

/** What can be downloaded: a disk of 64 MiB, or something that goes wrong. */
export type Source =
  | 'good'
  /** Comes to a stop in mid-download. */
  | 'held'
  /** Its importer is killed once in mid-download. */
  | 'dying'
  | 'not-found'
  | 'refused'
  | 'cut'
  | 'not-an-image'
  | 'wrong-checksum'
  | 'too-small'
  /** The disk fits, but not the file it comes in. */
  | 'overflowing'
  | 's3-missing'
  | 's3-without-secret';

/** A platform under test. */
export interface World extends AsyncDisposable {
  readonly record: PlatformRecord;
  /** Where a DataVolume gets its data, and the size to ask for. */
  source(source: Source): { readonly source: { readonly http?: object; readonly s3?: object }; readonly storage: string };
  /** What opens the S3 server. */
  readonly keys: { readonly accessKeyId: string; readonly secretKey: string };
  /** Ends the importer in a pod as a lack of memory would, where it does not end by itself; its next one is not in the way. */
  killImporter(pod: Thing): void;
  readonly storageClass: string;
  readonly snapshotClass: string;
}

/** 128 MiB, and with the 6 % that CDI adds for a file system. */
export const nominal = '128Mi';
export const inflated = '142270792';

export const isBound = isPhase('Bound');
const isReadyToUse = (object: Thing): boolean => object.status?.readyToUse === true;

/** What the cases do in a world. */
export class Scene {
  readonly #world: World;
  #namespaces = 0;
  #image: Promise<string> | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  get record(): PlatformRecord {
    return this.#world.record;
  }

  get keys(): World['keys'] {
    return this.#world.keys;
  }

  killImporter(pod: Thing): void {
    this.#world.killImporter(pod);
  }

  async namespace(): Promise<string> {
    const name = `contract-${process.pid}-${++this.#namespaces}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await this.record.connection.request({ method: 'POST', path: '/api/v1/namespaces', body });
    return name;
  }

  /** `more` is put into the source. */
  dataVolume(of: Source, more: object = {}): object {
    const { source, storage } = this.#world.source(of);
    const [kind, fields] = Object.entries(source)[0]!;
    return {
      spec: {
        source: { [kind]: { ...fields, ...more } },
        storage: { storageClassName: this.#world.storageClass, resources: { requests: { storage } } },
      },
    };
  }

  async remove(kind: 'DataVolume' | 'VolumeSnapshot', namespace: string, name: string): Promise<void> {
    await this.record.resource(kind).delete({ name, namespace }, { propagationPolicy: 'Background' });
  }

  clone(from: string, name: string, storage?: string): object {
    const size = storage === undefined ? {} : { resources: { requests: { storage } } };
    return {
      spec: {
        source: { snapshot: { namespace: from, name } },
        storage: { storageClassName: this.#world.storageClass, ...size },
      },
    };
  }

  claim(storage: string, more: object = {}): object {
    const { storageClass: storageClassName } = this.#world;
    return { spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more } };
  }

  snapshotOf(claim: string): object {
    const { snapshotClass: volumeSnapshotClassName } = this.#world;
    return { spec: { volumeSnapshotClassName, source: { persistentVolumeClaimName: claim } } };
  }

  /** A namespace with an imported disk called `image`: the same for all who ask, and none of them changes it. */
  image(): Promise<string> {
    this.#image ??= (async () => {
      const at = await this.namespace();
      await this.record.create('DataVolume', at, 'image', this.dataVolume('good'));
      await this.record.heard('PersistentVolumeClaim', at, 'image', isBound);
      return at;
    })();
    return this.#image;
  }

  /** A snapshot of that image; returns the bytes it needs when it is restored. */
  async cut(at: string, name: string): Promise<number> {
    await this.record.create('VolumeSnapshot', at, name, this.snapshotOf('image'));
    return bytesOf(statusOf(await this.record.heard('VolumeSnapshot', at, name, isReadyToUse), 'restoreSize'));
  }
}

/** Cases by what they show. */
export type Cases = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

export const requestOf = ({ spec }: Thing): string =>
  (spec?.resources as { requests?: { storage?: string } } | undefined)?.requests?.storage ?? '';

/** Sizes come as plain numbers or with a unit. */
export function bytesOf(quantity: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([KMG]i)?$/.exec(quantity) ?? [];
  return Number(digits) * 1024 ** ['', 'Ki', 'Mi', 'Gi'].indexOf(unit);
}
