import { bytesOf } from '../quantity.ts';
import { parseDuration } from './duration.ts';

/** What may follow a switch's name and a colon. */
type Argument =
  | 'none'
  | 'duration'
  | 'count'
  | 'percent'
  | 'size'
  | 'text'
  | 'optional count'
  | 'optional duration'
  | 'optional text';

interface SwitchDoc {
  readonly takes: Argument;
  readonly about: 'import' | 'snapshot' | 'machine';
  readonly does: string;
}

/** Every switch there is. The guide lists the same ones, and a test compares the two. */
export const switchDocs = {
  import: { takes: 'duration', about: 'import', does: 'how long the download and conversion take' },
  slow: { takes: 'duration', about: 'import', does: 'the same as import; reads better for a long one' },
  size: { takes: 'size', about: 'import', does: 'virtual size of the image: a smaller disk is too small' },
  bytes: { takes: 'size', about: 'import', does: 'bytes that travel in one complete download: a smaller disk is filled by them' },
  digest: { takes: 'text', about: 'import', does: 'checksum of what is served (sha256:HEX): compared with the DataVolume’s' },
  http: { takes: 'count', about: 'import', does: 'the server answers with this status code' },
  s3: { takes: 'text', about: 'import', does: 'the bucket answers with this S3 error code' },
  refused: { takes: 'none', about: 'import', does: 'nothing listens at the address' },
  dns: { takes: 'none', about: 'import', does: 'the host name does not resolve' },
  cut: { takes: 'optional count', about: 'import', does: 'the connection is cut at this per cent (50)' },
  checksum: { takes: 'none', about: 'import', does: 'the data does not match the checksum' },
  'too-small': { takes: 'none', about: 'import', does: 'the disk is too small for the image' },
  'not-an-image': { takes: 'none', about: 'import', does: 'the data is no disk image' },
  oom: { takes: 'optional text', about: 'import', does: 'the importer is killed for its memory, once or `forever`' },
  crashloop: {
    takes: 'none',
    about: 'import',
    does: 'the importer crashes early, again and again; for a machine: its start fails',
  },
  restarts: { takes: 'count', about: 'import', does: 'the importer dies this many times in mid-download, then succeeds' },
  stuck: { takes: 'none', about: 'import', does: 'the importer pod cannot be scheduled' },
  stall: { takes: 'percent', about: 'import', does: 'progress stops at this per cent' },
  quota: { takes: 'none', about: 'import', does: 'the claim is refused for want of quota; for a machine: its pod' },
  'secret-missing': { takes: 'none', about: 'import', does: 'the importer waits for a Secret that is not there' },
  lost: { takes: 'none', about: 'import', does: 'the claim loses its volume after the import' },
  fail: { takes: 'count', about: 'import', does: 'only the first attempts go wrong (as another switch says, else with 503)' },
  'snapshot-slow': { takes: 'duration', about: 'snapshot', does: 'how long a snapshot of this disk takes' },
  'snapshot-never': { takes: 'none', about: 'snapshot', does: 'a snapshot of this disk never becomes ready' },
  'snapshot-error': { takes: 'optional duration', about: 'snapshot', does: 'cutting fails, for this long or for ever' },
  boot: { takes: 'duration', about: 'machine', does: 'how long a start takes until the guest runs' },
  agent: { takes: 'duration', about: 'machine', does: 'how long after that the guest agent reports' },
  stop: { takes: 'duration', about: 'machine', does: 'how long the guest takes to shut down' },
  'no-agent': { takes: 'none', about: 'machine', does: 'the guest has no agent' },
  port: { takes: 'duration', about: 'machine', does: 'how long after running the port of its readiness probe answers' },
  'no-port': { takes: 'none', about: 'machine', does: 'that port never answers' },
  address: { takes: 'text', about: 'machine', does: 'the guest has this address on its first interface, whatever it was given' },
  paused: { takes: 'none', about: 'machine', does: 'the machine is paused for as long as this is set' },
  'ignore-acpi': { takes: 'none', about: 'machine', does: 'the guest ignores the power button: killed after its grace period' },
  unschedulable: { takes: 'none', about: 'machine', does: 'no node has room' },
  'image-missing': { takes: 'none', about: 'machine', does: 'an image cannot be pulled' },
  'no-disk': { takes: 'none', about: 'machine', does: 'the image of a containerDisk holds no disk' },
  'start-fails': { takes: 'count', about: 'machine', does: 'this many starts fail, the next works' },
  poweroff: { takes: 'duration', about: 'machine', does: 'the guest shuts itself down after running this long' },
  crash: { takes: 'duration', about: 'machine', does: 'the hypervisor process dies after running this long' },
} as const satisfies Record<string, SwitchDoc>;

export type SwitchName = keyof typeof switchDocs;

/** Switches that are on, with the text after the colon ('' when there is none). */
export type Switches = ReadonlyMap<SwitchName, string>;

const isValid: Readonly<Record<Argument, (text: string) => boolean>> = {
  none: (text) => text === '',
  duration: (text) => parseDuration(text) !== undefined,
  count: (text) => /^\d{1,9}$/.test(text),
  percent: (text) => /^\d{1,2}(\.\d+)?$/.test(text),
  size: (text) => bytesOf(text) !== undefined,
  text: (text) => text !== '',
  'optional count': (text) => /^\d{0,9}$/.test(text),
  'optional duration': (text) => text === '' || parseDuration(text) !== undefined,
  'optional text': () => true,
};

/** Reads `import:30s;http:404`. What cannot be read is told in `problems`, one sentence each, and left out. */
export function parseSwitches(text: string): { switches: Switches; problems: readonly string[] } {
  const switches = new Map<SwitchName, string>();
  const problems: string[] = [];
  for (const part of text.split(';').map((word) => word.trim())) {
    if (part === '') continue;
    const colon = part.indexOf(':');
    const name = colon === -1 ? part : part.slice(0, colon);
    const argument = colon === -1 ? '' : part.slice(colon + 1);
    if (!Object.hasOwn(switchDocs, name)) {
      problems.push(`There is no switch "${name}"; there are ${Object.keys(switchDocs).join(', ')}.`);
      continue;
    }
    const known = name as SwitchName;
    const { takes } = switchDocs[known];
    if (isValid[takes](argument)) switches.set(known, argument);
    else
      problems.push(
        `The switch "${part}" is wrong: ${known} takes ${takes === 'none' ? 'nothing' : `a value (${takes})`} after the colon.`,
      );
  }
  return { switches, problems };
}

/** The same as text, for an annotation. */
export function formatSwitches(switches: Switches): string {
  return [...switches].map(([name, argument]) => (argument === '' ? name : `${name}:${argument}`)).join(';');
}

/** The `sim` parameters of a source's address; several may be given. */
export function switchTextOf(url: string): string {
  if (!URL.canParse(url)) return '';
  // `+` would become a blank and `;` is kept by URLSearchParams, so `sim=a;b` and `sim=a&sim=b` read the same.
  return new URL(url).searchParams.getAll('sim').join(';');
}
