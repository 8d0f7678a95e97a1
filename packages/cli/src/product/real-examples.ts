/**
 * The examples as they can run on a real node: their images and containers are on hosts that do not have them, so this machine serves disks and
 * containers in their place. Pure.
 */
import { driverName, type Source, type SourceKind, type Sources, sourceUrl } from '@terrain/embedded';
import type { KubeObject } from '@terrain/runtime';

interface Fields {
  readonly [name: string]: unknown;
}

interface Downloaded extends Fields {
  readonly url: string;
  readonly sourceType: SourceKind;
}

interface PolicyData {
  readonly imageUrlTemplate?: string;
  readonly imageSourceType?: string;
}

interface Machine extends Fields {
  readonly vmDiskImageTemplate?: object;
  readonly backingVMDiskImage?: string;
}

const servedKinds: readonly string[] = ['http', 's3', 'registry'] satisfies SourceKind[];

/** Every disk that the examples download, to be served by this machine; each once. */
export function sourcesOf(examples: readonly KubeObject[]): Source[] {
  const downloads = [...examples.flatMap(downloadsIn), ...downloadsByPolicy(examples)];
  const sources = downloads.map(({ url, sourceType }) => ({ kind: sourceType, path: localPath(url, sourceType) }));
  return [...new Map(sources.map((source) => [`${source.kind} ${source.path}`, source])).values()];
}

/** Every container image that the examples run; each once. */
export function containerImagesOf(examples: readonly KubeObject[]): string[] {
  const clusters = examples.flatMap((example) => listOf(specOf(example).containerClusters));
  const containers = clusters.flatMap(({ containers }) => listOf(containers));
  return [...new Set(containers.flatMap(({ image }) => (typeof image === 'string' ? [image] : [])))];
}

/** The classes of storage that the examples bring, for our driver: CDI wants them to be there before it is told how to use them. */
export function classesOf(examples: readonly KubeObject[]): KubeObject[] {
  return examples.filter(({ kind }) => kind === 'StorageClass').map((example) => onOurDriver(example, 'provisioner'));
}

/** The examples with what they download and where they keep it replaced; all else is as it was. */
export function forRealNode(examples: readonly KubeObject[], sources: Sources): KubeObject[] {
  return examples.map((example) => {
    if (example.kind === 'StorageClass') return onOurDriver(example, 'provisioner');
    if (example.kind === 'VolumeSnapshotClass') return onOurDriver(example, 'driver');
    if (example.kind === 'Secret') return withKeys(example, sources);
    return localised(example, sources) as KubeObject;
  });
}

/** Where this machine serves what is elsewhere in the example, under a path that tells where. */
function localPath(url: string, kind: SourceKind): string {
  const [, host = '', path = ''] = /^[a-z-]+:\/\/([^/]+)\/(.+)$/.exec(url) ?? [];
  return kind === 's3' ? path : `${host}/${path}`;
}

function localised(value: unknown, sources: Sources): unknown {
  if (Array.isArray(value)) return value.map((item) => localised(item, sources));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, localised(field, sources)])) as Fields;
  if (isDownloaded(fields)) return fromHere(fields, sources);
  const { imageUrlTemplate, imageSourceType } = fields as PolicyData;
  if (imageUrlTemplate === undefined || !isServed(imageSourceType)) return fields;
  return { ...fields, imageUrlTemplate: sourceUrl(imageSourceType, localPath(imageUrlTemplate, imageSourceType)) };
}

function fromHere(download: Downloaded, { sha256 }: Sources): Downloaded {
  const url = sourceUrl(download.sourceType, localPath(download.url, download.sourceType));
  const sum = sha256.get(url);
  return { ...download, url, ...(download.checksum === undefined || sum === undefined ? {} : { checksum: `sha256:${sum}` }) };
}

const isServed = (kind: unknown): kind is SourceKind => typeof kind === 'string' && servedKinds.includes(kind);

const isDownloaded = (fields: Fields): fields is Downloaded => typeof fields.url === 'string' && isServed(fields.sourceType);

function downloadsIn(value: unknown): Downloaded[] {
  if (Array.isArray(value)) return value.flatMap(downloadsIn);
  if (typeof value !== 'object' || value === null) return [];
  return isDownloaded(value as Fields) ? [value as Downloaded] : Object.values(value).flatMap(downloadsIn);
}

/** Images that a Workspace takes from where the sync policy says, since its machine does not. */
function downloadsByPolicy(examples: readonly KubeObject[]): Downloaded[] {
  const policies = examples.map((example) => (example as { readonly data?: PolicyData }).data ?? {});
  const { imageUrlTemplate, imageSourceType } = policies.find(({ imageUrlTemplate }) => imageUrlTemplate !== undefined) ?? {};
  if (imageUrlTemplate === undefined || !isServed(imageSourceType)) return [];
  const machines = examples
    .filter(({ kind }) => kind === 'Workspace')
    .flatMap((workspace) => listOf(specOf(workspace).vms) as readonly Machine[])
    .filter(({ vmDiskImageTemplate }) => vmDiskImageTemplate === undefined);
  return machines.map((machine) => {
    const words: Fields = { ...machine, image: machine.backingVMDiskImage };
    const url = imageUrlTemplate.replace(/\{(\w+)\}/g, (_, word: string) => encodeURIComponent(String(words[word] ?? '')));
    return { url, sourceType: imageSourceType };
  });
}

/** A class of the example's cloud becomes one of this machine's, under its name; which class is the default stays as it is here. */
function onOurDriver(example: KubeObject, field: 'provisioner' | 'driver'): KubeObject {
  const { parameters: _, ...rest } = example as KubeObject & { readonly parameters?: object };
  const { annotations: __, ...metadata } = example.metadata;
  return { ...rest, metadata, [field]: driverName } as KubeObject;
}

/** Keys for a bucket become those of the server on this machine. */
function withKeys(example: KubeObject, { keys }: Sources): KubeObject {
  const { stringData } = example as { readonly stringData?: Fields };
  return stringData?.accessKeyId === undefined ? example : ({ ...example, stringData: { ...keys } } as KubeObject);
}

const specOf = (example: KubeObject): Fields => (example as { readonly spec?: Fields }).spec ?? {};
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
