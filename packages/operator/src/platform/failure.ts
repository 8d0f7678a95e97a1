/**
 * Why a download does not go on, from what CDI tells.
 *
 * One table. Reasons and phases decide where CDI gives them; where it gives only text, an anchored pattern on the message of the
 * Running condition does. Nothing else is ever searched: the message of Bound contains the object's own name, and a crashed importer
 * puts the tail of its log, whatever that says, into Running.
 */
import type { VMDiskImageReason } from '@terrain/api';
import { conditionOf, type DataVolume } from './cdi.ts';

/**
 * `permanent`: trying again would not help. `retryable`: it may, and each try costs a download. `wait`: nothing was downloaded and
 * nothing is wrong with the image; the slot is given back and no attempt is counted.
 */
export type FailureClass = 'permanent' | 'retryable' | 'wait';

export type Failure = {
  readonly class: FailureClass;
  readonly reason: VMDiskImageReason;
  /** The platform's words, shortened. */
  readonly message: string;
  /** CDI has not said why: the importer itself may have. */
  readonly isUntold?: true;
};

/** What else is known of an import than its DataVolume shows at this moment. */
export type Hearsay = {
  /** The last failure seen in this attempt, for when only the restart is seen. */
  readonly noted?: Failure | undefined;
  /** What the importer said when it last ended. */
  readonly words?: string | undefined;
  /** Importers killed for their memory that CDI has replaced: in another pod, so that no restart is counted. */
  readonly kills?: number | undefined;
  /** How often progress fell back, whatever was the cause. */
  readonly falls?: number | undefined;
};

type Row = {
  /** Condition, and its reason where it has one of these. */
  readonly running?: readonly string[];
  readonly bound?: string;
  /** Matched against the message of Running, from its first character. */
  readonly text?: RegExp;
  readonly class: FailureClass;
  readonly reason: VMDiskImageReason;
};

/** Reasons under which CDI shows that the importer's container ended badly; the text says why. */
const ended = ['Error', 'ImagePullFailed'];
/** What CDI puts in front of a cause, from the outside in. */
const told = '^(?:Unable to [^:\n]{1,80}: )*';
const http = (codes: string): RegExp =>
  new RegExp(`^Unable to connect to \\w+ data source: expected status code 200, got (?:${codes})\\.`);
const s3 = (codes: string): RegExp =>
  new RegExp(`^Unable to connect to s3 data source: could not get s3 object: "[^\n]*": (?:${codes}):`);
const pull = (cause: string): RegExp => new RegExp(`${told}failed to pull image: (?:${cause})`);

/** First match counts. Every row has its case in the test. */
export const failureTable: readonly Row[] = [
  { bound: 'ClaimLost', class: 'retryable', reason: 'DataVolumeLost' },
  { running: ['ChecksumError'], class: 'permanent', reason: 'ChecksumMismatch' },
  { running: ended, text: http('404|410'), class: 'permanent', reason: 'SourceNotFound' },
  { running: ended, text: http('401|403'), class: 'permanent', reason: 'SourceForbidden' },
  { running: ended, text: http('\\d{3}'), class: 'retryable', reason: 'SourceUnreachable' },
  { running: ended, text: s3('NoSuchKey|NoSuchBucket'), class: 'permanent', reason: 'SourceNotFound' },
  {
    running: ended,
    text: s3('AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|AuthorizationHeaderMalformed'),
    class: 'permanent',
    reason: 'SourceForbidden',
  },
  { running: ended, text: s3('EmptyStaticCreds'), class: 'permanent', reason: 'SecretMissing' },
  { running: ended, text: s3('\\w+'), class: 'retryable', reason: 'SourceUnreachable' },
  { running: ended, text: /^DataVolume too small to contain image/, class: 'permanent', reason: 'DiskTooSmall' },
  { running: ended, text: new RegExp(`${told}could not process image header`), class: 'permanent', reason: 'NotAnImage' },
  {
    running: ended,
    text: new RegExp(`${told}(?:invalid checksum|unable to parse endpoint)`),
    class: 'permanent',
    reason: 'RefusedByPlatform',
  },
  // No name of an image can hold a blank, so these words are the registry's.
  {
    running: ended,
    text: pull('[^\n]*(?:manifest unknown|name unknown)|received unexpected HTTP status: (?:404|410) '),
    class: 'permanent',
    reason: 'SourceNotFound',
  },
  {
    running: ended,
    text: pull('[^\n]*: (?:unauthorized|denied|authentication required)|received unexpected HTTP status: (?:401|403) '),
    class: 'permanent',
    reason: 'SourceForbidden',
  },
  { running: ended, text: pull(''), class: 'retryable', reason: 'SourceUnreachable' },
  {
    running: ended,
    text: /^Unable to connect to \w+ data source: HTTP request errored: /,
    class: 'retryable',
    reason: 'SourceUnreachable',
  },
  {
    running: [...ended, 'OOMKilled', 'ContainerCannotRun', 'StartError', 'Evicted', 'DeadlineExceeded', 'ContainerStatusUnknown'],
    class: 'retryable',
    reason: 'ImporterFailed',
  },
  { bound: 'ErrExceededQuota', class: 'wait', reason: 'QuotaExceeded' },
  { bound: 'ErrClaimNotValid', class: 'wait', reason: 'RefusedByPlatform' },
  { bound: 'ErrCreatingPVCPrime', class: 'wait', reason: 'RefusedByPlatform' },
];

/** The words that CDI replaces by its own, wherever they stand. */
const full =
  /is larger than the reported available|no space left on device|file largest block is bigger than maxblock|disk quota exceeded/;

const longestMessage = 500;

/** The failure a DataVolume shows at this moment; CDI takes it back as soon as the importer is started again. */
export function shownFailure(dataVolume: DataVolume): Failure | undefined {
  const running = conditionOf(dataVolume, 'Running');
  const bound = conditionOf(dataVolume, 'Bound');
  const row = failureTable.find(
    (candidate) =>
      (candidate.running === undefined || (running?.status === 'False' && candidate.running.includes(running.reason ?? ''))) &&
      (candidate.bound === undefined || (bound?.status === 'False' && bound.reason === candidate.bound)) &&
      (candidate.text === undefined || candidate.text.test(running?.message ?? '')),
  );
  if (row !== undefined) {
    const { message, reason } = (row.bound === undefined ? running : bound) ?? {};
    return { class: row.class, reason: row.reason, message: shorten(message ?? reason ?? row.reason) };
  }
  if (dataVolume.status?.phase !== 'Failed') return undefined;
  return { class: 'retryable', reason: 'ImporterFailed', message: 'the DataVolume is Failed and says no more' };
}

/**
 * The failure behind what an importer said at its end, judged as if CDI had passed it on: it does not when kubelet is faster to start the importer
 * again than CDI is to look, as on a busy machine.
 */
function toldByImporter(words: string): Failure {
  const text = full.test(words) ? 'DataVolume too small to contain image' : words;
  const row = failureTable.find(({ running, text: pattern }) => running?.includes('Error') && (pattern?.test(text) ?? true));
  return { class: row?.class ?? 'retryable', reason: row?.reason ?? 'ImporterFailed', message: shorten(text) };
}

/** Whether CDI shows that the importer was killed for its memory; it takes that back when it has put another in its place. */
export function isKilledForMemory(dataVolume: DataVolume): boolean {
  const { status, reason } = conditionOf(dataVolume, 'Running') ?? {};
  return status === 'False' && reason === 'OOMKilled';
}

/**
 * Whether the attempt behind a DataVolume is over, and why.
 *
 * A permanent failure ends it at once. One that may pass ends it when the importer would have to be started more often than
 * `importRestarts`, since every start downloads from byte 0.
 */
export function judgeImport(dataVolume: DataVolume, importRestarts: number, hearsay: Hearsay = {}): Failure | undefined {
  if (dataVolume.status?.phase === 'Succeeded') return undefined;
  const { noted, words, kills = 0, falls = 0 } = hearsay;
  const failure = shownFailure(dataVolume);
  const started = (dataVolume.status?.restartCount ?? 0) + kills;
  // Two ways of counting the same: a restart shows as a fall too, if anybody reads progress. Neither counts more than there were.
  const restarts = Math.max(started, falls);
  if (failure?.class === 'retryable' && dataVolume.status?.phase !== 'Failed' && failure.reason !== 'DataVolumeLost')
    return restarts >= importRestarts ? failure : undefined;
  if (failure !== undefined) return failure;
  if (restarts <= importRestarts) return undefined;
  if (words !== undefined) return toldByImporter(words);
  const untold = (message: string): Failure => ({ class: 'retryable', reason: 'ImporterFailed', message, isUntold: true });
  return falls > started ? untold(fellBack(falls)) : (noted ?? untold(startedAgain(started)));
}

const startedAgain = (times: number): string =>
  `the importer was started again ${times === 1 ? 'once, from byte 0' : `${times} times, each time from byte 0`}`;

const fellBack = (times: number): string =>
  `the download began again from byte 0 ${times === 1 ? 'once' : `${times} times`}, as it does when the importer’s pod is deleted, evicted or preempted: see the events of its node and namespace`;

/** At most 500 characters, on one line. Of a log the end is kept, of a sentence the beginning. */
export function shorten(text: string): string {
  const isLog = text.includes('\n') && text.length > longestMessage;
  const line = (isLog ? text.slice(-longestMessage) : text).replace(/\s+/g, ' ').trim();
  return line.length <= longestMessage ? line : `${line.slice(0, longestMessage - 1)}…`;
}
