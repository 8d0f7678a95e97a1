import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireKnownParameters, requireMode, whyUnsuitable } from './capability.ts';

const mount = (mode = 'SINGLE_NODE_WRITER', fsType = '') => ({ mount: { fsType }, accessMode: { mode } });
const block = (mode = 'SINGLE_NODE_WRITER') => ({ block: {}, accessMode: { mode } });

test('the mode is what all capabilities agree on', () => {
  assert.equal(requireMode([mount(), mount('SINGLE_NODE_READER_ONLY', 'ext4')]), 'filesystem');
  assert.equal(requireMode([block('SINGLE_NODE_SINGLE_WRITER')]), 'block');
});

const refused: Record<string, { given: Parameters<typeof requireMode>[0]; want: RegExp }> = {
  'no capability': { given: [], want: /No volume capability/ },
  'neither file system nor device': { given: [{ accessMode: { mode: 'SINGLE_NODE_WRITER' } }], want: /says neither/ },
  'both at once': { given: [mount(), block()], want: /at once/ },
  'several nodes': { given: [mount('MULTI_NODE_MULTI_WRITER')], want: /MULTI_NODE_MULTI_WRITER is not possible.*ReadWriteOnce/ },
  'no access mode': { given: [{ mount: {} }], want: /UNKNOWN is not possible/ },
  'another file system': { given: [mount('SINGLE_NODE_WRITER', 'xfs')], want: /xfs is asked for.*ext4/ },
};
for (const [name, { given, want }] of Object.entries(refused)) {
  test(`capabilities refused: ${name}`, () =>
    assert.throws(() => requireMode(given), { code: 'InvalidArgument', message: want }));
}

test('a volume suits the mode it was made for', () => {
  assert.equal(whyUnsuitable('block', [block()]), undefined);
  assert.equal(whyUnsuitable('block', [mount()]), 'The volume was made for use as a block device, not as a file system.');
  assert.match(whyUnsuitable('filesystem', [mount('MULTI_NODE_READER_ONLY')]) ?? '', /not possible/);
});

test('parameters that mean nothing here are refused, those of Kubernetes are not', () => {
  requireKnownParameters({ 'csi.storage.k8s.io/pvc/name': 'x' });
  assert.throws(() => requireKnownParameters({ replicas: '3', tier: 'gold' }), {
    code: 'InvalidArgument',
    message: /no parameter replicas, tier/,
  });
});
