import { EmbeddedError } from '#embedded-error.ts';

/** The data and what a sentence about it needs to name. */
interface Place {
  readonly data: string;
  readonly home: string;
}

/** Why etcd ended although nobody asked it to, judged by what it wrote. */
export function etcdFailure(output: string, { data, home }: Place): EmbeddedError {
  const words = complaint(output);
  if (/no space left on device/i.test(output)) {
    return new EmbeddedError(
      'NoDiskSpace',
      `etcd cannot write to ${data} because the disk is full: free some space and start again; no data is lost.`,
    );
  }
  if (/permission denied|read-only file system/i.test(words)) {
    return new EmbeddedError(
      'ComponentFailed',
      `etcd may not use ${data} (${words}): make that directory yours and writable, then start again.`,
    );
  }
  return new EmbeddedError('DataDamaged', `etcd cannot read the data in ${data} (${words}). ${wayOut(home)}`);
}

/** Parts of its files missing, etcd may run and yet wait for ever; the API server then gives up on it after 20 s. */
export function etcdSilence(output: string, { data, home }: Place): EmbeddedError {
  return new EmbeddedError(
    'DataDamaged',
    `etcd runs but accepts no requests (${complaint(output)}): part of the data in ${data} may be missing, or the disk is so slow that a second try may help. ${wayOut(home)}`,
  );
}

function wayOut(home: string): string {
  return `Nothing was deleted. Restore that directory from a copy, or run \`terrain down --wipe --home ${home}\`, which sets the data aside under another name, and start with an empty cluster.`;
}

/** The reason among many lines: what etcd logs when it gives up, else the runtime's own word for a crash, else its last warning. */
function complaint(output: string): string {
  const lines = output.trimEnd().split('\n');
  const entries = lines.flatMap(parseEntry);
  const entry = entries.find(({ level }) => ['fatal', 'panic'].includes(level)) ?? undefined;
  const crash = lines.map((line) => /^(?:panic|fatal error): (.+)$/.exec(line)?.[1]).find((words) => words !== undefined);
  const { msg, error } = entry ?? (crash === undefined ? entries.at(-1) : { msg: crash, error: undefined }) ?? {};
  return (
    [msg, error]
      .filter((part) => part !== undefined)
      .join(': ')
      .slice(0, 300) || 'it gave no reason'
  );
}

interface LogEntry {
  readonly level: string;
  readonly msg?: string;
  readonly error?: string;
}

/** etcd writes one JSON object per line; the stack of a crash is plain text and no entry. */
function parseEntry(line: string): LogEntry[] {
  try {
    const entry = JSON.parse(line) as Partial<LogEntry>;
    return typeof entry?.level === 'string' ? [entry as LogEntry] : [];
  } catch {
    return [];
  }
}
