import { STATUS_CODES } from 'node:http';
import type { SourceWithUrl } from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import type { Switches } from '../scenario/switches.ts';
import { inflate } from './size.ts';

export type ImportKind = 'http' | 's3' | 'gcs' | 'registry' | 'blank';

/** What goes wrong in an import, and where. Texts are CDI's own, as it puts them into the Running condition. */
export type Fault =
  /** The first pod fails as soon as it asks the server, at every restart. The text may differ each time. */
  | { readonly at: 'connect'; readonly reason: string; readonly message: (restart: number) => string }
  /** The transferring pod fails at this fraction, `times` times (for ever when absent), from byte 0 each time. */
  | {
      readonly at: 'transfer';
      readonly fraction: number;
      readonly reason: string;
      readonly message: string;
      readonly times?: number;
    }
  /** Read to the end, then found wrong: the one failure CDI itself calls final. */
  | { readonly at: 'checksum'; readonly message: string }
  | { readonly at: 'oom'; readonly isForever: boolean }
  | { readonly at: 'schedule' }
  | { readonly at: 'stall'; readonly percent: number }
  /** The pod is placed but its container cannot start. */
  | { readonly at: 'container'; readonly reason: string; readonly message: string };

export interface Missing {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
}

export interface FaultInput {
  readonly kind: ImportKind;
  readonly source: Partial<SourceWithUrl>;
  readonly switches: Switches;
  /** The disk asked for, before any overhead. */
  readonly diskBytes: number;
  /** Which attempt at this image the DataVolume is, counted from 1. */
  readonly attempt: number;
  /** A Secret or ConfigMap the importer needs and that does not exist. */
  readonly missing: Missing | undefined;
}

/** What goes wrong in this import; undefined when nothing does. */
export function faultOf(input: FaultInput): Fault | undefined {
  const real = realFault(input);
  if (real !== undefined) return real;
  const limit = input.switches.get('fail');
  if (limit !== undefined && input.attempt > Number(limit)) return undefined;
  return wantedFault(input) ?? (limit === undefined ? undefined : connectFault(input, 503));
}

/** Faults that follow from what was really asked for. */
function realFault({ kind, source, switches, diskBytes, missing }: FaultInput): Fault | undefined {
  if (missing !== undefined) return containerFault(missing);
  if (kind === 's3' && source.secretRef === undefined)
    return { at: 'connect', reason: 'Error', message: () => s3Text(source, 'EmptyStaticCreds: static credentials are empty') };
  const imageBytes = bytesOf(switches.get('size'));
  if (imageBytes !== undefined && imageBytes > diskBytes) return tooSmall;
  const fileBytes = bytesOf(switches.get('bytes')) ?? 0;
  // The file is kept beside the disk, in a volume of the same size.
  if (diskBytes > 0 && fileBytes > inflate(diskBytes)) return { ...tooSmall, fraction: inflate(diskBytes) / fileBytes };
  const served = switches.get('digest')?.toLowerCase();
  const wanted = source.checksum?.toLowerCase();
  // Only the http source checks: the field does not exist on the others.
  if (kind === 'http' && served !== undefined && wanted !== undefined && served !== wanted) return checksumFault(wanted, served);
  return undefined;
}

function wantedFault(input: FaultInput): Fault | undefined {
  const { switches, source } = input;
  const has = (name: Parameters<Switches['get']>[0]): boolean => switches.has(name);
  if (has('stuck')) return { at: 'schedule' };
  if (has('secret-missing')) return containerFault({ kind: 'Secret', name: source.secretRef ?? 'simulated' });
  if (has('http')) return connectFault(input, Number(switches.get('http')));
  if (has('s3')) return s3Fault(input, switches.get('s3') ?? '');
  if (has('refused')) return requestFault(input, 'dial tcp 203.0.113.1:443: connect: connection refused');
  if (has('dns')) return requestFault(input, `dial tcp: lookup ${hostOf(source)} on 10.96.0.10:53: server misbehaving`);
  if (has('not-an-image'))
    return constant(
      'Unable to process data: Unable to obtain information about data source: could not process image header: unexpected EOF',
    );
  if (has('crashloop')) return constant(crashLog);
  if (has('checksum')) return checksumFault(source.checksum ?? `sha256:${'0'.repeat(64)}`, `sha256:${'d'.repeat(64)}`);
  if (has('too-small')) return tooSmall;
  if (has('oom')) return { at: 'oom', isForever: switches.get('oom') === 'forever' };
  if (has('stall')) return { at: 'stall', percent: Number(switches.get('stall')) };
  if (has('cut')) return cutFault(Number(switches.get('cut') || 50) / 100);
  if (has('restarts'))
    return { at: 'transfer', fraction: 0.6, reason: 'Error', message: crashLog, times: Number(switches.get('restarts')) };
  return undefined;
}

/** A Secret is read into the container's environment, a ConfigMap is mounted: only the first leaves words in the pod's status. */
function containerFault({ kind, name }: Missing): Fault {
  return kind === 'Secret'
    ? { at: 'container', reason: 'CreateContainerConfigError', message: `secret "${name}" not found` }
    : { at: 'container', reason: 'ContainerCreating', message: '' };
}

/** The second pod looks at the image's head again and then knows: hardly anything is downloaded. */
const tooSmall: Fault & { readonly at: 'transfer' } = {
  at: 'transfer',
  fraction: 0.01,
  reason: 'Error',
  message: 'DataVolume too small to contain image',
};

/** A crashed importer leaves the tail of its log, whatever that says: here also words that must not be taken for the cause. */
const crashLog = [
  'I1115 20:11:04.000000       1 importer.go:107] Starting importer',
  'I1115 20:11:04.000000       1 importer.go:182] begin import process',
  'I1115 20:11:04.000000       1 http-datasource.go:264] Attempting to get object "disk-404.qcow2" via http client',
  'E1115 20:11:05.000000       1 prlimit.go:174] qemu-img failed output is: error while writing at byte 403',
  'goroutine 1 [running]:',
].join('\n');

const constant = (message: string): Fault => ({ at: 'connect', reason: 'Error', message: () => message });

function connectFault(input: FaultInput, code: number): Fault {
  if (input.kind === 's3') return s3Fault(input, s3CodeOf(code));
  const status = `${code} ${STATUS_CODES[code] ?? ''}`.trim();
  if (input.kind === 'registry')
    return {
      at: 'connect',
      reason: 'ImagePullFailed',
      message: () =>
        `Unable to process data: Unable to transfer source data to scratch space: failed to pull image: received unexpected HTTP status: ${status}`,
    };
  return constant(`Unable to connect to ${input.kind} data source: expected status code 200, got ${code}. Status: ${status}`);
}

function requestFault({ kind, source }: FaultInput, cause: string): Fault {
  return constant(`Unable to connect to ${kind} data source: HTTP request errored: Get "${source.url ?? ''}": ${cause}`);
}

function cutFault(fraction: number): Fault {
  const message = 'Unable to process data: Unable to transfer source data to scratch space: failed to pull image: unexpected EOF';
  return { at: 'transfer', fraction, reason: 'ImagePullFailed', message };
}

function checksumFault(wanted: string, served: string): Fault {
  const message = `Unable to process data: Unable to transfer source data to scratch space: checksum mismatch: expected ${wanted}, calculated ${served}`;
  return { at: 'checksum', message };
}

const s3Messages: Readonly<Record<string, readonly [status: number, words: string]>> = {
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  AccessDenied: [403, 'Access Denied'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
};

function s3CodeOf(status: number): string {
  if (status === 404 || status === 410) return 'NoSuchKey';
  if (status === 401 || status === 403) return 'AccessDenied';
  return status === 503 || status === 429 ? 'SlowDown' : 'InternalError';
}

function s3Fault({ source }: FaultInput, code: string): Fault {
  const [status, words] = s3Messages[code] ?? [400, 'Simulated error.'];
  return {
    at: 'connect',
    reason: 'Error',
    // The request's id differs each time, so the texts of two restarts are never equal. The importer makes blanks of line ends.
    message: (restart) =>
      s3Text(
        source,
        `${code}: ${words} \tstatus code: ${status}, request id: SIM${String(restart).padStart(13, '0')}, host id: simulated`,
      ),
  };
}

function s3Text(source: Partial<SourceWithUrl>, cause: string): string {
  const path = URL.canParse(source.url ?? '') ? new URL(source.url ?? '').pathname.slice(1) : '';
  return `Unable to connect to s3 data source: could not get s3 object: "${path}": ${cause}`;
}

function hostOf(source: Partial<SourceWithUrl>): string {
  return URL.canParse(source.url ?? '') ? new URL(source.url ?? '').hostname : '';
}
