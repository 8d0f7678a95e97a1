import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLogger({ destination: { write: (line: string) => void lines.push(line) } }));
  return JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
}

test('a line has a level in words, a time people can read, and what it is about', () => {
  const { time, ...line } = logged((log) => log.child({ controller: 'c' }).info({ object: 'ns/a' }, 'done'));
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(line, { level: 'info', controller: 'c', object: 'ns/a', msg: 'done' });
});

const secrets: Record<string, unknown> = {
  'at the top': { token: 'canary' },
  'one level down': { credentials: { token: 'canary', password: 'canary', key: 'canary', cert: 'canary' } },
  'two levels down': { request: { headers: { authorization: 'canary' } } },
  'the data of a Secret': { secret: { data: { a: 'canary' } } },
  'the text of a Secret about to be made': { object: { stringData: { a: 'canary' } } },
  'a kubeconfig': { cluster: { kubeconfig: 'canary' } },
};
for (const [name, fields] of Object.entries(secrets)) {
  test(`a secret does not reach the log: ${name}`, () => {
    const line = JSON.stringify(logged((log) => log.info(fields, 'message')));
    assert.ok(!line.includes('canary'), line);
    assert.ok(line.includes('[redacted]'), line);
  });
}

test('an error is written with its causes', () => {
  const error = new Error('outer', { cause: new Error('inner') });
  const { err } = logged((log) => log.error({ err: error }, 'failed')) as {
    err: { message: string; cause: { message: string } };
  };
  assert.equal(err.message, 'outer');
  assert.equal(err.cause.message, 'inner');
});
