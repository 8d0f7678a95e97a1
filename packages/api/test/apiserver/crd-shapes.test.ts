/** What the schemas refuse by themselves, with no rule: types, words, duplicates, lengths. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  aDataSync,
  aVirtualMachine,
  aVMDiskImage,
  aWorkspace,
  aWorkspaceInstance,
  aWorkspaceTemplate,
} from '@terrain/api/testing';
import { ApiError, type KubeObject } from '@terrain/runtime';
import { withChanges } from './crd-change.ts';
import { judge } from './crd-cluster.ts';

const shapes: Record<string, { given: KubeObject; field: string; words: string }> = {
  'no spec': { given: withChanges(aVMDiskImage(), { spec: undefined }), field: 'spec', words: 'Required value' },
  'a source nobody knows': {
    given: withChanges(aVMDiskImage(), { 'spec.sourceType': 'ftp' }),
    field: 'spec.sourceType',
    words: 'supported values: "s3", "http", "registry", "gcs", "blank"',
  },
  'a digest of the wrong length': {
    given: withChanges(aVMDiskImage(), { 'spec.checksum': 'sha256:00' }),
    field: 'spec.checksum',
    words: 'should match',
  },
  'a size that is neither number nor text': {
    given: withChanges(aVMDiskImage(), { 'spec.diskSize': true }),
    field: 'spec.diskSize',
    words: 'must be of type integer,string',
  },
  'a url longer than any': {
    given: withChanges(aVMDiskImage(), { 'spec.url': 'https://images.example.com/'.padEnd(2049, 'x') }),
    field: 'spec.url',
    words: 'may not be more than 2048 bytes',
  },
  'two images of one name': {
    given: withChanges(aDataSync(), { 'spec.vms': [...aDataSync().spec.vms, ...aDataSync().spec.vms] }),
    field: 'spec.vms[1]',
    words: 'Duplicate value: {"name":"debian"}',
  },
  'a DataSync for no workspace': {
    given: withChanges(aDataSync(), { 'spec.workspaceId': '' }),
    field: 'spec.workspaceId',
    words: 'should be at least 1 chars long',
  },
  'a machine with two cards in one network': {
    given: withChanges(aVirtualMachine(), { 'spec.interfaces': [{ network: 'lan' }, { network: 'lan' }] }),
    field: 'spec.interfaces[1]',
    words: 'Duplicate value: {"network":"lan"}',
  },
  'a multicast hardware address': {
    given: withChanges(aVirtualMachine(), { 'spec.interfaces': [{ network: 'lan', macAddress: '01:00:5e:00:00:01' }] }),
    field: 'spec.interfaces[0].macAddress',
    words: 'should match',
  },
  'a machine without an image': {
    given: withChanges(aVirtualMachine(), { 'spec.vmDiskImageRef': undefined }),
    field: 'spec.vmDiskImageRef',
    words: 'Required value',
  },
  'two users of one name': {
    given: withChanges(aVirtualMachine(), { 'spec.users': [{ name: 'ada' }, { name: 'ada' }] }),
    field: 'spec.users[1]',
    words: 'Duplicate value: {"name":"ada"}',
  },
  'a line break in a user name, which would write another line of cloud-init': {
    given: withChanges(aVirtualMachine(), { 'spec.users': [{ name: 'ada\nroot' }] }),
    field: 'spec.users[0].name',
    words: 'should match',
  },
  'two networks of one name': {
    given: withChanges(aWorkspace(), { 'spec.networks': [...aWorkspace().spec.networks!, ...aWorkspace().spec.networks!] }),
    field: 'spec.networks[1]',
    words: 'Duplicate value: {"name":"lan"}',
  },
  'a container cluster without containers': {
    given: withChanges(aWorkspace(), { 'spec.containerClusters': [{ name: 'dns', containers: [] }] }),
    field: 'spec.containerClusters[0].containers',
    words: 'should have at least 1 items',
  },
  'a protocol nobody speaks': {
    given: withChanges(aWorkspace(), {
      'spec.containerClusters': [
        { name: 'dns', containers: [{ name: 'dns', image: 'dns:1', portMappings: [{ containerPort: 53, protocol: 'icmp' }] }] },
      ],
    }),
    field: 'spec.containerClusters[0].containers[0].portMappings[0].protocol',
    words: 'should match',
  },
  'two steps of one id': {
    given: withChanges(aWorkspaceTemplate(), {
      'spec.steps': [...aWorkspaceTemplate().spec.steps!, ...aWorkspaceTemplate().spec.steps!],
    }),
    field: 'spec.steps[1]',
    words: 'Duplicate value: {"id":"intro"}',
  },
  'days, which CEL does not know': {
    given: withChanges(aWorkspaceTemplate(), { 'spec.defaults': { lifecycle: { ttl: '2d' } } }),
    field: 'spec.defaults.lifecycle.ttl',
    words: 'should match',
  },
  'an upper bound that instances could raise': {
    given: withChanges(aWorkspaceTemplate(), { 'spec.overridable': ['lifecycle.maxTtl'] }),
    field: 'spec.overridable[0]',
    words: 'Unsupported value: "lifecycle.maxTtl"',
  },
  'an instance of nobody': {
    given: withChanges(aWorkspaceInstance(), { 'spec.owner': undefined }),
    field: 'spec.owner',
    words: 'Required value',
  },
};

describe('shapes that are refused', () => {
  for (const [name, { given, field, words }] of Object.entries(shapes)) {
    test(name, async () => {
      const error = await judge(given).then(
        () => assert.fail('accepted'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ApiError && error.code === 422, String(error));
      assert.ok(
        error.causes.some((cause) => cause.field === field && cause.message?.includes(words)),
        error.message,
      );
    });
  }
});

test('a name a person would write is accepted: a user with a blank, protocols in any case', async () => {
  await judge(withChanges(aVirtualMachine(), { 'spec.users': [{ name: 'demo user' }] }));
  for (const protocol of ['udp', 'UDP', 'Tcp', 'sctp']) {
    const containers = [{ name: 'dns', image: 'dns:1', portMappings: [{ containerPort: 53, protocol }] }];
    await judge(withChanges(aWorkspace(), { 'spec.containerClusters': [{ name: 'dns', containers }] }));
  }
});
