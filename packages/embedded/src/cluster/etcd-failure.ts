import { EmbeddedError } from '#embedded-error.ts';

/** Why etcd ended although nobody asked it to, judged by its log; it prints one JSON object per line, a panic as plain text. */
export function etcdFailure(
  log: string,
  layout: { readonly data: string; readonly home: string },
  logFile: string,
): EmbeddedError {
  const words = lastComplaint(log);
  if (/no space left on device/i.test(words)) {
    return new EmbeddedError(
      'NoDiskSpace',
      `etcd cannot write to ${layout.data} because the disk is full: free some space and start again; no data is lost.`,
    );
  }
  if (/permission denied|read-only file system/i.test(words)) {
    return new EmbeddedError(
      'ComponentFailed',
      `etcd may not write to ${layout.data} (${words}): make that directory yours and writable, then start again.`,
    );
  }
  if (/cannot listen|address already in use|bind:/i.test(words)) {
    return new EmbeddedError(
      'ComponentFailed',
      `etcd could not open its sockets in ${layout.home}/etcd (${words}); see ${logFile}.`,
    );
  }
  return new EmbeddedError(
    'DataDamaged',
    `etcd cannot read the data in ${layout.data} (${words}). Nothing was changed: restore that directory from a copy, or run \`terrain down --wipe --home ${layout.home}\`, which sets the data aside under another name, and start with an empty cluster.`,
  );
}

/** The last line of level fatal, panic or error, or the message of a Go panic, without the stack that follows it. */
function lastComplaint(log: string): string {
  const lines = log.trimEnd().split('\n').slice(-200);
  for (const line of lines.toReversed()) {
    const panic = /^panic: (.+)$/.exec(line)?.[1];
    if (panic !== undefined) return panic.slice(0, 300);
    const entry = parseEntry(line);
    if (entry !== undefined) return [entry.msg, entry.error].filter(Boolean).join(': ').slice(0, 300);
  }
  return 'it gave no reason';
}

function parseEntry(line: string): { readonly msg?: string; readonly error?: string } | undefined {
  try {
    const entry = JSON.parse(line) as { level?: string; msg?: string; error?: string };
    return ['error', 'panic', 'fatal', 'dpanic'].includes(entry.level ?? '') ? entry : undefined;
  } catch {
    return undefined;
  }
}
