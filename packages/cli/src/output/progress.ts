import type { Progress, ProgressEvent } from '@terrain/embedded';
import { humanDuration } from './duration.ts';

/** Where progress is written. A terminal gets a live line; a pipe or a log gets lines only. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface Running {
  readonly title: string;
  readonly startedAt: number;
  readonly expectedMs: number | undefined;
  done?: string;
  shownAt: number;
}

/** In a log, a long task says how far it is this often. */
const logEveryMs = 20_000;

/**
 * Shows what goes on: a line for each finished or failed task, a note where something is worth reading, and on a terminal one live line below with
 * the tasks that run.
 */
export class ProgressView {
  readonly #output: Output;
  readonly #now: () => number;
  readonly #running = new Map<string, Running>();
  #isLiveLineShown = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output = process.stderr, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  readonly show: Progress = (event) => {
    this.#clear();
    this.#update(event);
    this.#draw();
  };

  /** One line of our own between the tasks. */
  say(line: string): void {
    this.#clear();
    this.#output.write(`${line}\n`);
    this.#draw();
  }

  /** Removes the live line for good. */
  close(): void {
    this.#clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#running.clear();
  }

  #update(event: ProgressEvent): void {
    const running = this.#running.get(event.task);
    switch (event.type) {
      case 'started': {
        this.#running.set(event.task, {
          title: event.title,
          startedAt: this.#now(),
          expectedMs: event.expectedMs,
          shownAt: this.#now(),
        });
        const expected = event.expectedMs === undefined ? '' : ` (about ${humanDuration(event.expectedMs)} the first time)`;
        // A task without an estimate is over before a reader of a log could care that it began.
        if (event.expectedMs !== undefined || this.#output.isTTY === true) this.#startTimer();
        if (event.expectedMs !== undefined) this.#output.write(`  ${event.title}${expected}\n`);
        break;
      }
      case 'advanced':
        if (running !== undefined) this.#advance(running, `${event.done}/${event.total} ${event.unit}`);
        break;
      case 'note':
        this.#output.write(`  ${event.message}\n`);
        break;
      case 'finished':
        this.#running.delete(event.task);
        this.#output.write(`✓ ${event.title} (${humanDuration(event.elapsedMs)})\n`);
        break;
      case 'failed':
        // The sentence itself is printed once, at the end, by whoever catches the error.
        this.#running.delete(event.task);
        this.#output.write(`✗ ${running?.title ?? event.task}\n`);
        break;
    }
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #advance(running: Running, done: string): void {
    running.done = done;
    if (this.#output.isTTY === true || this.#now() - running.shownAt < logEveryMs) return;
    running.shownAt = this.#now();
    this.#output.write(`  ${this.#describe(running)}\n`);
  }

  #describe({ title, startedAt, expectedMs, done }: Running): string {
    const expected = expectedMs === undefined ? '' : ` of about ${humanDuration(expectedMs)}`;
    return `${title}${done === undefined ? '' : `: ${done}`}, ${humanDuration(this.#now() - startedAt)}${expected}`;
  }

  #startTimer(): void {
    if (this.#output.isTTY !== true || this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      this.#clear();
      this.#draw();
    }, 500);
    this.#timer.unref();
  }

  #draw(): void {
    if (this.#output.isTTY !== true || this.#running.size === 0) return;
    const text = [...this.#running.values()].map((running) => this.#describe(running)).join(' | ');
    this.#output.write(`… ${text}`.slice(0, (this.#output.columns ?? 80) - 1));
    this.#isLiveLineShown = true;
  }

  #clear(): void {
    if (this.#isLiveLineShown) this.#output.write('\r\x1b[2K');
    this.#isLiveLineShown = false;
  }
}
