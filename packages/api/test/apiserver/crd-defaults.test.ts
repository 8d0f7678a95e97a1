import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CustomResource, withDefaults } from '@terrain/api';
import {
  aDataSync,
  aVirtualMachine,
  aVMDiskImage,
  aWorkspace,
  aWorkspaceInstance,
  aWorkspaceTemplate,
} from '@terrain/api/testing';
import { type Changes, withChanges } from './crd-change.ts';
import { definitionOf, judge } from './crd-cluster.ts';

const defaults: Record<string, { given: CustomResource<string, string, unknown, unknown>; want: Changes }> = {
  'an image may be pruned': { given: aVMDiskImage(), want: { 'spec.retain': false } },
  'a DataSync gets nothing': { given: aDataSync(), want: {} },
  'a machine is deployed, and every object left out stays out': {
    given: aVirtualMachine(),
    want: { 'spec.ignoreOnDeploy': false },
  },
  'a machine is ready when it runs, and a password has a usual key': {
    given: aVirtualMachine({ spec: { guestReadiness: {}, users: [{ name: 'ada', passwordSecretRef: { name: 'ada' } }] } }),
    want: {
      'spec.ignoreOnDeploy': false,
      'spec.guestReadiness.mode': 'Running',
      'spec.users[0].passwordSecretRef.key': 'password',
    },
  },
  'a workspace runs': {
    given: aWorkspace(),
    want: { 'spec.powerState': 'Running', 'spec.vms[0].ignoreOnDeploy': false },
  },
  'a container port is TCP, and a mount can be written': {
    given: aWorkspace({
      spec: {
        containerClusters: [
          {
            name: 'dns',
            containers: [
              {
                name: 'dns',
                image: 'dns:1',
                portMappings: [{ containerPort: 53 }],
                volumeMounts: [{ name: 'config', containerPath: '/config' }],
              },
            ],
          },
        ],
      },
    }),
    want: {
      'spec.powerState': 'Running',
      'spec.vms[0].ignoreOnDeploy': false,
      'spec.containerClusters[0].ignoreOnDeploy': false,
      'spec.containerClusters[0].containers[0].portMappings[0].protocol': 'TCP',
      'spec.containerClusters[0].containers[0].volumeMounts[0].readOnly': false,
    },
  },
  'a template shows all settings in force': {
    given: aWorkspaceTemplate(),
    want: {
      'spec.steps[0].checkpoint': false,
      'spec.overridable': ['lifecycle.ttl', 'lifecycle.idleSuspend', 'lifecycle.idleTimeout'],
      'spec.defaults': {
        lifecycle: { mode: 'ephemeral', idleSuspend: false, idleTimeout: '30m', warnBefore: '10m' },
        isolation: { mode: 'individual' },
        cluster: { mode: 'none' },
        resources: { enforce: false },
        access: { webTerminal: true },
        home: { size: '1Gi' },
      },
    },
  },
  'an instance runs, and overrides only what it says': {
    given: aWorkspaceInstance({
      spec: { overrides: { lifecycle: { ttl: '4h' }, cluster: {}, access: {}, resources: {}, home: {} } },
    }),
    want: { 'spec.powerState': 'Running' },
  },
};

describe('defaults', () => {
  for (const [name, { given, want }] of Object.entries(defaults)) {
    test(name, async () => {
      const expected = withChanges(given, want);
      assert.deepEqual((await judge(given)).spec, expected.spec);
      assert.deepEqual(withDefaults(definitionOf(given), given).spec, expected.spec, 'filled in by ourselves');
    });
  }
});
