import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredPort } from './port.ts';

test('a new home gets the usual port, or the one the environment names', () => {
  assert.equal(preferredPort({}), 16_443);
  assert.equal(preferredPort({ TERRAIN_PORT: '' }), 16_443);
  assert.equal(preferredPort({ TERRAIN_PORT: '20001' }), 20_001);
});

for (const given of ['soon', '0', '65536', '1.5', '-1'])
  test(`${given} is no port`, () =>
    assert.throws(() => preferredPort({ TERRAIN_PORT: given }), {
      code: 'PortUnusable',
      message: `TERRAIN_PORT is "${given}": write a port between 1 and 65535, or leave it out.`,
    }));
