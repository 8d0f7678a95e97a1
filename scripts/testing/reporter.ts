/** A node:test reporter for people and for CI logs: silence for what passes, everything about what fails, one line at the end. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const path: string[] = [];
  const started = performance.now();
  for await (const event of events) {
    if (event.type === 'test:start') path.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name);
    else if (event.type === 'test:pass' && event.data.details.type !== 'suite') {
      if (event.data.skip !== undefined || event.data.todo !== undefined) {
        // A case that did not run proves nothing; it is reported by name and fails the run.
        counts.skipped++;
        yield `  SKIPPED ${event.data.name}\n`;
      } else counts.passed++;
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
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  // The words CI reads; the totals of all parts are added up from these lines.
  yield `tests ${counts.passed + counts.failed + counts.skipped}, passed ${counts.passed}, failed ${counts.failed}, skipped ${counts.skipped}, ${seconds} s\n`;
}

function failure(names: readonly string[], file: string | undefined, line: number | undefined, error: Error): string {
  const cause = error.cause ?? error;
  const where = file === undefined ? '' : ` (${relative(process.cwd(), file)}:${line})`;
  // inspect() follows a chain of causes, which a stack alone does not show.
  const text = inspect(cause, { depth: 6 });
  return `\n✖ ${names.join(' > ')}${where}\n${text.replaceAll(/^/gm, '    ')}\n\n`;
}
