import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moduleDirectory, requiredModules } from './module.ts';

test('modules are required in blocks and alone, replaced ones do not count', () => {
  const goMod = `module x

go 1.26.0

require a.example/alone v1.2.3

require (
\tb.example/first v0.1.0
\tc.example/second/v2 v2.0.0 // indirect
)

replace (
\td.example/x => d.example/y v1.0.0
)
`;
  assert.deepEqual(requiredModules(goMod), [
    { path: 'b.example/first', version: 'v0.1.0' },
    { path: 'c.example/second/v2', version: 'v2.0.0' },
    { path: 'a.example/alone', version: 'v1.2.3' },
  ]);
});

test('Go writes capitals in a way that every file system can tell apart', () => {
  assert.equal(
    moduleDirectory('/cache', { path: 'github.com/BurntSushi/toml', version: 'v1.0.0-RC1' }),
    '/cache/github.com/!burnt!sushi/toml@v1.0.0-!r!c1',
  );
});
