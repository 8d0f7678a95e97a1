/**
 * What a long operation tells whoever watches it. Events carry facts, not layout: a terminal may draw a bar, a log may write a
 * line. A task is started once and then ends exactly once, finished or failed; everything between refers to it by its name.
 */
export type ProgressEvent =
  | { readonly type: 'started'; readonly task: string; readonly title: string; readonly expectedMs?: number }
  | { readonly type: 'advanced'; readonly task: string; readonly done: number; readonly total: number; readonly unit: string }
  | { readonly type: 'finished'; readonly task: string; readonly title: string; readonly elapsedMs: number }
  | { readonly type: 'failed'; readonly task: string; readonly message: string }
  /** One sentence worth reading: a retry, a rebuild, a port that changed. */
  | { readonly type: 'note'; readonly task: string; readonly message: string };

export type Progress = (event: ProgressEvent) => void;

export const silent: Progress = () => {};

/** What a running task may say about itself. */
export interface TaskReport {
  advance(done: number, total: number, unit: string): void;
  note(message: string): void;
}

export interface Task {
  readonly name: string;
  readonly title: string;
  /** About how long it takes when nothing is cached; left out when it is short. */
  readonly expectedMs?: number;
}

/** Runs one task and reports its start and its one end, whatever happens inside. */
export async function runTask<T>(progress: Progress, task: Task, work: (report: TaskReport) => Promise<T>): Promise<T> {
  const { name, title, expectedMs } = task;
  const startedAt = performance.now();
  progress({ type: 'started', task: name, title, ...(expectedMs === undefined ? {} : { expectedMs }) });
  try {
    const result = await work({
      advance: (done, total, unit) => progress({ type: 'advanced', task: name, done, total, unit }),
      note: (message) => progress({ type: 'note', task: name, message }),
    });
    progress({ type: 'finished', task: name, title, elapsedMs: performance.now() - startedAt });
    return result;
  } catch (error) {
    progress({ type: 'failed', task: name, message: (error as Error).message });
    throw error;
  }
}

/** Progress as plain lines on standard error, at most one every ten seconds per task, for callers without a screen of their own. */
export function plainProgress(
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
  now = () => performance.now(),
): Progress {
  const saidAt = new Map<string, number>();
  return (event) => {
    if (event.type === 'started') {
      saidAt.set(event.task, now());
      write(`terrain: ${event.title}`);
    } else if (event.type === 'note') {
      write(`terrain: ${event.message}`);
    } else if (event.type === 'advanced' && now() - (saidAt.get(event.task) ?? 0) >= 10_000) {
      saidAt.set(event.task, now());
      write(`terrain: ${event.task}: ${event.done} of ${event.total} ${event.unit}`);
    }
  };
}
