import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorCommand, parseCommand } from './operator-command.ts';

test('the operator is measured with the environment and the flags it is started with', () => {
  assert.deepEqual(parseCommand('A=1 B=x=y node --one --two=2 packages/operator/src/main.mjs'), {
    env: { A: '1', B: 'x=y' },
    flags: ['--one', '--two=2'],
  });
  assert.deepEqual(parseCommand('node main.mjs'), { env: {}, flags: [] });
  assert.throws(() => parseCommand('main.mjs'), /expected a script that runs node, got "main.mjs"/);
  assert.ok(operatorCommand().flags.some((flag) => flag.startsWith('--max-semi-space-size=')));
});
