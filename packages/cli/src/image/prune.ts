/** Which images nobody needs any more, and why the others stay. */
import {
  annotations,
  type Ledger,
  labels,
  parseDurationMs,
  pelotechGroup,
  sourceHash,
  type VirtualMachine,
  type VMDiskImage,
} from '@terrain/api';
import { bytesOf } from '../output/bytes.ts';
import { humanDuration, shortAge } from '../output/duration.ts';
import { hasArtifact, isGivenUp, keyOf } from './state.ts';

/** An image that may go. */
export interface Candidate {
  readonly image: VMDiskImage;
  readonly why: string;
  /** Size of its disk; 0 when nothing was downloaded. */
  readonly bytes: number;
}

/** Why an image stays: one of a few kinds, for counting, and in words. */
export interface Kept {
  readonly image: VMDiskImage;
  readonly kind: 'in use' | 'retained' | 'of a DataSync' | 'paused' | 'not ready yet' | 'not old enough' | 'not looked at yet';
  readonly why: string;
}

export interface PrunePlan {
  readonly going: readonly Candidate[];
  readonly kept: readonly Kept[];
}

/** What a person asks for. */
export interface PruneWish {
  /** How long nobody may have referred to an image; undefined: as the policy says. */
  readonly olderThanMs: number | undefined;
  /** Also images that were given up, whatever their age. */
  readonly hasFailed: boolean;
}

/** What the cluster holds. */
export interface PruneFacts {
  readonly images: readonly VMDiskImage[];
  /** Of all namespaces: images are referred to across them. */
  readonly machines: readonly VirtualMachine[];
  /** The policy in force; undefined when it cannot be read. */
  readonly policy: Ledger['policy'] | undefined;
  /** Images that hold a slot, by UID. */
  readonly active: ReadonlySet<string>;
}

type PruneRules = PruneWish & PruneFacts & { readonly nowMs: number };

/**
 * What a person's wish to clear away comes to.
 *
 * Guarantees: never one that a machine refers to, by its status or by the machines given; never one with `retain`, of a DataSync, that is
 * paused, or that is being downloaded or waits for it. The operator's own pruning goes by the same instants.
 */
export function planPrune(rules: PruneRules): PrunePlan {
  const users = usersOf(rules.machines);
  const verdicts = rules.images
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((image) => protectedBy(image, users.get(keyOf(image)) ?? [], rules) ?? judgeAge(image, rules));
  return {
    going: verdicts.filter((verdict) => 'bytes' in verdict),
    kept: verdicts.filter((verdict) => 'kind' in verdict),
  };
}

/** The names of the machines that refer to each image. */
function usersOf(machines: readonly VirtualMachine[]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const { metadata, spec } of machines) {
    const { namespace = '', name } = spec.vmDiskImageRef;
    const image = `${namespace === '' ? metadata.namespace : namespace}/${name}`;
    users.set(image, [...(users.get(image) ?? []), `${metadata.namespace}/${metadata.name}`]);
  }
  return users;
}

function protectedBy(image: VMDiskImage, users: readonly string[], { active }: PruneRules): Kept | undefined {
  const { metadata, spec, status } = image;
  const { references = 0, referencedBy = [] } = status ?? {};
  const names = users.length > 0 ? users : referencedBy;
  const count = Math.max(users.length, references);
  if (count > 0) return { image, kind: 'in use', why: `used by ${named(names, count)}` };
  if (spec.retain === true) return { image, kind: 'retained', why: 'spec.retain is true' };
  const set = (metadata.ownerReferences ?? []).find(
    ({ kind, apiVersion }) => kind === 'DataSync' && apiVersion.startsWith(`${pelotechGroup}/`),
  );
  if (set !== undefined) return { image, kind: 'of a DataSync', why: `belongs to DataSync ${set.name}: remove it there` };
  if (metadata.annotations?.[annotations.paused] === 'true')
    return {
      image,
      kind: 'paused',
      why: `paused, which would hold up its deletion: remove the annotation ${annotations.paused} first`,
    };
  const isAtRest = hasArtifact(image) || isGivenUp(image);
  if (active.has(metadata.uid ?? '') || !isAtRest)
    return { image, kind: 'not ready yet', why: `${status?.phase ?? 'Queued'}: cancel it first if nobody needs it` };
  return undefined;
}

const shownNames = 3;

function named(names: readonly string[], count: number): string {
  const more = count - Math.min(names.length, shownNames);
  return [...names.slice(0, shownNames), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function judgeAge(image: VMDiskImage, rules: PruneRules): Candidate | Kept {
  const { status, spec } = image;
  const { gaveUp } = status?.retry ?? {};
  const bytes = status?.artifact === undefined ? 0 : bytesOf(status.artifact.restoreSize ?? spec.diskSize);
  if (rules.hasFailed && gaveUp !== undefined && !hasArtifact(image)) return { image, bytes, why: `given up (${gaveUp.reason})` };
  const sinceMs = unusedSinceMs(image);
  if (sinceMs === undefined) return { image, kind: 'not looked at yet', why: `the operator has not ${unsaid(image)}` };
  const { limitMs, rule } = limitOf(image, rules);
  if (limitMs === undefined) return { image, kind: 'not old enough', why: rule };
  const unusedMs = rules.nowMs - sinceMs;
  const unused = `unused for ${shortAge(unusedMs)}`;
  if (unusedMs < limitMs)
    return { image, kind: 'not old enough', why: `${unused}, kept until ${humanDuration(limitMs)} (${rule})` };
  return { image, bytes, why: `${unused}, longer than ${humanDuration(limitMs)} (${rule})` };
}

const isFromTemplate = ({ metadata }: VMDiskImage): boolean => metadata.labels?.[labels.createdBy] !== undefined;

/** Since when nobody has used it, though it could have been. */
function unusedSinceMs(image: VMDiskImage): number | undefined {
  const unreferencedMs = instantMs(image.status?.unreferencedSince);
  if (isFromTemplate(image)) return unreferencedMs;
  const usableMs = settledMs(image);
  return unreferencedMs === undefined || usableMs === undefined ? undefined : Math.max(unreferencedMs, usableMs);
}

/** Since when the source the spec names could be used, or is given up. What became of a former source says nothing about it. */
function settledMs(image: VMDiskImage): number | undefined {
  const { artifact, retry } = image.status ?? {};
  const syncedMs = hasArtifact(image) ? instantMs(artifact?.syncedAt) : undefined;
  return syncedMs ?? (retry?.sourceHash === sourceHash(image.spec) ? instantMs(retry.gaveUp?.at) : undefined);
}

/** Which of the instants is missing. */
const unsaid = ({ status }: VMDiskImage): string =>
  status?.unreferencedSince === undefined
    ? 'counted its references yet'
    : 'said yet since when its source can be used or is given up';

function instantMs(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** How long it may be unused, and which rule says so; without a limit the rule says why there is none. */
function limitOf(image: VMDiskImage, { olderThanMs, policy }: PruneRules): { limitMs: number | undefined; rule: string } {
  if (olderThanMs !== undefined) return { limitMs: olderThanMs, rule: '--older-than' };
  const key = isFromTemplate(image) ? 'templateImageTTL' : 'unreferencedTTL';
  const text = policy?.get(key) ?? '';
  const limitMs = text === '' ? undefined : parseDurationMs(text);
  return limitMs === undefined ? { limitMs, rule: `${key} is not set: only --older-than takes it` } : { limitMs, rule: key };
}

/** What became of the wish to delete one image. */
export interface Pruned {
  readonly candidate: Candidate;
  /** Somebody else deleted it before us. */
  readonly isGoneAlready?: true;
  /** Undefined when it goes, else why it stays after all. */
  readonly problem?: string;
}
