/** What people and other programs read about a DataSync. The only file that names its conditions and phases. */
import {
  type Condition,
  type DataSyncCondition,
  type DataSyncReason,
  type DataSyncStatus,
  type DataSyncVM,
  dataSyncImageName,
  labels,
  labelValue,
  sourceHash,
} from '@terrain/api';
import { controllerUid } from '@terrain/runtime';
import { isDeleted, isOwn, isPaused, leavingOf, wantedNames } from './decide.ts';
import type { Snapshot, StoredImage } from './observe.ts';

/** What the API server would not let be done with an image, and its words. The first two are for an item, the others take an image away. */
export type Refusal = { readonly write: 'create' | 'change' | 'delete' | 'release'; readonly words: string };
/** By the name of the image. */
export type Refused = ReadonlyMap<string, Refusal>;

type Phase = NonNullable<DataSyncStatus['phase']>;
type Item = {
  readonly name: string;
  readonly vmDiskImage: string;
  readonly phase: Phase;
  readonly progress?: string;
  readonly message: string;
  /** Why only a person can help. */
  readonly problem?: 'NameTaken' | 'RefusedByPlatform' | 'ImagesFailed';
};
type Verdict = { readonly status: 'True' | 'False'; readonly reason: DataSyncReason; readonly message: string };
type Verdicts = Readonly<Record<DataSyncCondition, Verdict>>;

/** A hundred of them share one object. */
const longestItemMessage = 300;
const shownNames = 5;

/** The whole status. The snapshot holds the images as this pass left them. */
export function statusOf(snapshot: Snapshot, refused: Refused): DataSyncStatus {
  const { dataSync, nowMs } = snapshot;
  const { generation } = dataSync.metadata;
  const items = dataSync.spec.vms.map((vm) => itemOf(snapshot, refused, vm));
  const phase = phaseOf(items);
  const verdicts = verdictsOf(snapshot, refused, items, phase);
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    message: verdicts.Ready.message,
    conditions: Object.entries(verdicts).map(([type, verdict]) =>
      conditionOf(type, verdict, dataSync.status?.conditions ?? [], generation, nowMs),
    ),
    images: items.map(({ problem: _, ...item }) => ({ ...item, message: item.message.slice(0, longestItemMessage) })),
    counts: {
      total: items.length,
      queued: inPhase(items, 'Queued').length,
      syncing: inPhase(items, 'Syncing').length,
      succeeded: inPhase(items, 'Succeeded').length,
      failed: inPhase(items, 'Failed').length,
    },
  };
}

function itemOf(snapshot: Snapshot, refused: Refused, { name }: DataSyncVM): Item {
  const vmDiskImage = dataSyncImageName(snapshot.dataSync.metadata.name, name);
  const image = snapshot.images.get(vmDiskImage);
  const refusal = refused.get(vmDiskImage);
  const item = { name, vmDiskImage };
  if (image === undefined) {
    return refusal === undefined
      ? { ...item, phase: 'Queued', message: 'is about to be created' }
      : { ...item, phase: 'Failed', message: `the API server refuses it: ${refusal.words}`, problem: 'RefusedByPlatform' };
  }
  if (!isOwn(snapshot, image)) {
    const message = `VMDiskImage ${vmDiskImage} exists already and ${ownerOf(image)}: rename the item or the DataSync, or delete that image`;
    return { ...item, phase: 'Failed', message, problem: 'NameTaken' };
  }
  if (refusal?.write === 'change')
    return {
      ...item,
      phase: 'Failed',
      message: `the API server refuses the change: ${refusal.words}`,
      problem: 'RefusedByPlatform',
    };
  if (image.metadata.deletionTimestamp !== undefined)
    return { ...item, phase: 'Queued', message: 'is being deleted, and made again when it is gone' };
  return { ...item, ...syncOf(image) };
}

/** How far an image is with the source it names now: what it says of a former one does not count. */
function syncOf({ metadata, spec, status = {} }: StoredImage): Pick<Item, 'phase' | 'progress' | 'message' | 'problem'> {
  const { phase = 'Queued', progress, message = '', observedGeneration, artifact } = status;
  const isDescribed =
    phase === 'Succeeded' ? artifact?.sourceHash === sourceHash(spec) : observedGeneration === metadata.generation;
  if (!isDescribed) return { phase: 'Queued', message: 'is about to be looked at' };
  return {
    phase,
    message,
    ...(progress === undefined ? {} : { progress }),
    ...(phase === 'Failed' ? { problem: 'ImagesFailed' as const } : {}),
  };
}

function ownerOf({ metadata }: StoredImage): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner === undefined ? 'belongs to nobody' : `belongs to ${owner.kind} ${owner.name}`;
}

const inPhase = (items: readonly Item[], phase: Phase): readonly Item[] => items.filter((item) => item.phase === phase);

function phaseOf(items: readonly Item[]): Phase {
  const phases: readonly Phase[] = ['Failed', 'Syncing', 'Queued'];
  return phases.find((phase) => inPhase(items, phase).length > 0) ?? 'Succeeded';
}

function verdictsOf(snapshot: Snapshot, refused: Refused, items: readonly Item[], phase: Phase): Verdicts {
  const no = (reason: DataSyncReason, message: string): Verdict => ({ status: 'False', reason, message });
  const yes = (reason: DataSyncReason, message: string): Verdict => ({ status: 'True', reason, message });
  const message = [
    isDeleted(snapshot) ? '' : summaryOf(items),
    leavingText(snapshot, refused),
    keptText(refused, 'delete'),
    keptText(refused, 'release'),
    leftText(snapshot),
    pauseText(snapshot),
  ]
    .filter((part) => part !== '')
    .join('; ');
  if (isPaused(snapshot) && (phase !== 'Succeeded' || isDeleted(snapshot)))
    return { Ready: no('Paused', message), Reconciling: no('Paused', message), Stalled: no('Paused', message) };
  if (isDeleted(snapshot))
    return { Ready: no('Deleting', message), Reconciling: yes('Deleting', message), Stalled: no('Deleting', message) };
  const problem = problemOf(items);
  const isWorking = items.some((item) => item.phase === 'Queued' || item.phase === 'Syncing') || leavingOf(snapshot).length > 0;
  const resting: DataSyncReason = problem ?? 'UpToDate';
  return {
    Ready: phase === 'Succeeded' ? yes('Succeeded', message) : no(problem ?? readyReason(phase), message),
    Reconciling: isWorking ? yes('Progressing', message) : no(resting, message),
    Stalled: problem === undefined ? no(isWorking ? 'Progressing' : 'UpToDate', message) : yes(problem, message),
  };
}

const readyReason = (phase: Phase): DataSyncReason => (phase === 'Syncing' ? 'Syncing' : 'Queued');

/** Of several, the one that is about this object and not about one of its images. */
function problemOf(items: readonly Item[]): Item['problem'] {
  const order = ['NameTaken', 'RefusedByPlatform', 'ImagesFailed'] as const;
  return order.find((problem) => items.some((item) => item.problem === problem));
}

function summaryOf(items: readonly Item[]): string {
  const parts = [`${inPhase(items, 'Succeeded').length} of ${items.length} images can be cloned`];
  const syncing = inPhase(items, 'Syncing');
  if (syncing.length > 0) parts.push(`${namesOf(syncing)} ${syncing.length === 1 ? 'syncs' : 'sync'}`);
  const queued = inPhase(items, 'Queued').length;
  if (queued > 0) parts.push(`${queued} ${queued === 1 ? 'waits' : 'wait'}`);
  for (const problem of ['NameTaken', 'RefusedByPlatform'] as const) {
    const [first, ...others] = items.filter((item) => item.problem === problem);
    if (first === undefined) continue;
    const more = others.length === 0 ? '' : ` (the same with ${namesOf(others)})`;
    parts.push(`item ${first.name}: ${first.message.slice(0, longestItemMessage)}${more}`);
  }
  const givenUp = items.filter(({ problem }) => problem === 'ImagesFailed');
  const [first] = givenUp;
  if (first !== undefined)
    parts.push(`${namesOf(givenUp)} failed: ${first.vmDiskImage} ${first.message.slice(0, longestItemMessage)}`);
  return parts.join('; ');
}

/** Those that are refused are told by themselves: it is not their finalizers that hold them. */
function leavingText(snapshot: Snapshot, refused: Refused): string {
  const leaving = leavingOf(snapshot).filter(({ metadata }) => !refused.has(metadata.name));
  if (leaving.length === 0) return isDeleted(snapshot) ? 'is being deleted' : '';
  const names = shortList(
    leaving.map(({ metadata }) => `VMDiskImage ${metadata.name} (finalizers ${(metadata.finalizers ?? []).join(', ')})`),
  );
  if (isDeleted(snapshot)) return `is being deleted, and waits for ${names} to be gone`;
  return isPaused(snapshot) ? `would remove ${names}` : `removes ${names}`;
}

/** Images that should leave and may not. The order of caches is no news: without the sort it would be a status write. */
function keptText(refused: Refused, write: 'delete' | 'release'): string {
  const [first, ...others] = [...refused].filter(([, refusal]) => refusal.write === write).sort(([a], [b]) => (a < b ? -1 : 1));
  if (first === undefined) return '';
  const [name, { words }] = first;
  const what = write === 'delete' ? `delete VMDiskImage ${name}` : `take the owner off VMDiskImage ${name}, which machines use`;
  const more = others.length === 0 ? '' : ` (the same with ${shortList(others.map(([other]) => other))})`;
  return `the API server refuses to ${what}: ${words.slice(0, longestItemMessage)}${more}; change the rule or the rights that forbid it, and it goes on by itself within a minute`;
}

/** Images that machines used when their item went. They are named for as long as they exist. */
function leftText(snapshot: Snapshot): string {
  const wanted = wantedNames(snapshot);
  const origin = labelValue(snapshot.dataSync.metadata.name);
  const left = [...snapshot.images.values()].filter(
    (image) =>
      image.metadata.labels?.[labels.dataSync] === origin &&
      !wanted.has(image.metadata.name) &&
      controllerUid(image) === undefined,
  );
  if (left.length === 0) return '';
  const names = shortList(left.map(({ metadata }) => metadata.name).sort());
  return left.length === 1
    ? `left in place because machines used it: VMDiskImage ${names}; delete it when no machine needs it`
    : `left in place because machines used them: VMDiskImages ${names}; delete each of them when no machine needs it`;
}

const pauseText = (snapshot: Snapshot): string =>
  isPaused(snapshot) ? 'paused by the annotation pelotech.ot/paused: nothing is changed until it is removed' : '';

const namesOf = (items: readonly Item[]): string => shortList(items.map(({ name }) => name));

function shortList(names: readonly string[]): string {
  const more = names.length - shownNames;
  return `${names.slice(0, shownNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function conditionOf(
  type: string,
  verdict: Verdict,
  before: readonly Condition[],
  generation: number | undefined,
  nowMs: number,
): Condition {
  const known = before.find((condition) => condition.type === type);
  return {
    type,
    ...verdict,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: known?.status === verdict.status ? known.lastTransitionTime : toInstant(nowMs),
  };
}

/** Conditions have whole seconds. */
const toInstant = (ms: number): string => new Date(ms - (ms % 1000)).toISOString().replace('.000Z', 'Z');
