import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theWorkspace } from '#testing/workspace-snapshot.ts';
import { desiredIsolation } from './desired-namespace.ts';

test('DNS that is no pod may be asked at its address, for names and nothing else', () => {
  const workspace = theWorkspace({});
  const before = desiredIsolation(workspace).spec.egress ?? [];
  const added = (desiredIsolation(workspace, ['169.254.20.10', 'fd00::53']).spec.egress ?? []).slice(before.length);
  assert.deepEqual(added, [
    {
      to: [{ ipBlock: { cidr: '169.254.20.10/32' } }, { ipBlock: { cidr: 'fd00::53/128' } }],
      ports: [
        { protocol: 'UDP', port: 53 },
        { protocol: 'TCP', port: 53 },
      ],
    },
  ]);
});
