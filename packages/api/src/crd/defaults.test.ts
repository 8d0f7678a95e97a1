import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataSyncKind } from '#datasync/kind.ts';
import { aDataSync, aVirtualMachine, aWorkspaceInstance, aWorkspaceTemplate } from '#testing/builders.ts';
import { virtualMachineKind } from '#virtualmachine/kind.ts';
import { workspaceInstanceKind } from '#workspaceinstance/kind.ts';
import { workspaceTemplateKind } from '#workspacetemplate/kind.ts';
import { withDefaults } from './defaults.ts';

test('defaults are filled in at every depth, and what was given stays', () => {
  const given = aWorkspaceTemplate({ spec: { defaults: { lifecycle: { idleTimeout: '5m' } } } });
  const { spec } = withDefaults(workspaceTemplateKind, given);
  assert.deepEqual(spec.defaults?.lifecycle, { mode: 'ephemeral', idleSuspend: false, idleTimeout: '5m', warnBefore: '10m' });
  assert.deepEqual(spec.defaults?.home, { size: '1Gi' });
  assert.equal(spec.steps?.[0]?.checkpoint, false);
});

test('what has no default stays out', () => {
  assert.deepEqual(withDefaults(dataSyncKind, aDataSync()), aDataSync());
  assert.deepEqual(withDefaults(virtualMachineKind, aVirtualMachine()).spec, {
    ...aVirtualMachine().spec,
    ignoreOnDeploy: false,
  });
  const instance = aWorkspaceInstance({ spec: { overrides: { lifecycle: {} } } });
  assert.deepEqual(withDefaults(workspaceInstanceKind, instance).spec.overrides, { lifecycle: {} });
});

test('neither the object nor the defaults are shared with the result', () => {
  const given = aWorkspaceTemplate();
  const first = withDefaults(workspaceTemplateKind, given);
  first.spec.overridable!.push('home.size');
  first.spec.steps![0]!.imageTag = 'changed';
  assert.deepEqual(given, aWorkspaceTemplate());
  assert.equal(withDefaults(workspaceTemplateKind, given).spec.overridable!.length, 3);
});
