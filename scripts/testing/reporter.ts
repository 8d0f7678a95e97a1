/** A node:test reporter for people and for CI logs: silence for what passes, everything about what fails, one line at the end. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** As many of the longest tests are named at the end, so that nobody has to guess where a part's minutes go. */
const longestNamed = 5;
const worthNamingSeconds = 10;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const path: string[] = [];
  const times: { name: string; seconds: number }[] = [];
  const started = performance.now();
  for await (const event of events) {
    if ((event.type === 'test:pass' || event.type === 'test:fail') && event.data.details.type !== 'suite') {
      times.push({ name: event.data.name, seconds: event.data.details.duration_ms / 1000 });
    }
    if (event.type === 'test:start') path.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name);
    else if (event.type === 'test:pass') {
      if (event.data.skip !== undefined || event.data.todo !== undefined) {
        // What did not run, or is not meant to pass yet, proves nothing; it is reported by name and fails the run. Of a skipped suite this is the
        // only word: nothing is told of the tests in it.
        counts.skipped++;
        yield `  SKIPPED ${[...path.slice(0, event.data.nesting), event.data.name].join(' > ')}\n`;
      } else if (event.data.details.type !== 'suite') counts.passed++;
    } else if (event.type === 'test:fail') {
      const { error, type } = event.data.details;
      const isOnlyByChildren = 'failureType' in error && error.failureType === 'subtestsFailed';
      if (isOnlyByChildren) continue;
      if (type !== 'suite') counts.failed++;
      yield failure([...path.slice(0, event.data.nesting), event.data.name], event.data.file, event.data.line, error);
    } else if (
      event.type === 'test:diagnostic' &&
      !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(event.data.message)
    ) {
      yield `  ${event.data.message}\n`;
    } else if (event.type === 'test:stderr' || event.type === 'test:stdout') yield event.data.message;
  }
  for (const { name, seconds } of longest(times)) yield `  ${seconds.toFixed(0).padStart(4)} s  ${name}\n`;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  // The words CI reads; the totals of all parts are added up from these lines.
  yield `tests ${counts.passed + counts.failed + counts.skipped}, passed ${counts.passed}, failed ${counts.failed}, skipped ${counts.skipped}, ${seconds} s\n`;
}

function longest(times: readonly { name: string; seconds: number }[]): { name: string; seconds: number }[] {
  return times
    .filter(({ seconds }) => seconds >= worthNamingSeconds)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, longestNamed);
}

function failure(names: readonly string[], file: string | undefined, line: number | undefined, error: Error): string {
  const cause = error.cause ?? error;
  const where = file === undefined ? '' : ` (${relative(process.cwd(), file)}:${line})`;
  // inspect() follows a chain of causes, which a stack alone does not show.
  const text = inspect(cause, { depth: 6 });
  return `\n✖ ${names.join(' > ')}${where}\n${text.replaceAll(/^/gm, '    ')}\n\n`;
}
