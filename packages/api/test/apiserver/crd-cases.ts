/** For every kind a good object, and what makes it bad in the eyes of each rule. */
import {
  aDataSync,
  aVirtualMachine,
  aVMDiskImage,
  aWorkspace,
  aWorkspaceInstance,
  aWorkspaceTemplate,
} from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';
import { dataSyncCases, imageCases, imageSource } from './crd-cases-image.ts';
import { machine, machineCases } from './crd-cases-machine.ts';
import { settings, settingsCases } from './crd-cases-settings.ts';
import { lab, labCases } from './crd-cases-workspace.ts';
import { withChanges } from './crd-change.ts';
import { casesBelow, quantityCase, type RuleCases } from './crd-rule-case.ts';

interface Subject {
  readonly good: KubeObject;
  /** Tried by creating the object. */
  readonly creation: RuleCases;
  /** Tried by changing the good object after it was stored. */
  readonly change: RuleCases;
}

const referableName: RuleCases = {
  'a name longer than a reference to it': {
    rule: 'metadata.name must have at most 63 characters, because others refer to this object by its name; choose a shorter one',
    field: '',
    refused: { 'metadata.name': 'n'.repeat(64) },
    accepted: { 'metadata.name': 'n'.repeat(63) },
  },
};

const workspaceName =
  'metadata.name must have at most 53 characters and no dots, because the namespace workspace-<name> is made from it; choose another name';

export const subjects: readonly Subject[] = [
  {
    good: withChanges(aVMDiskImage(), { spec: imageSource }),
    creation: { ...referableName, ...casesBelow('spec', imageCases) },
    change: {},
  },
  {
    good: withChanges(aDataSync(), { 'spec.vms': [imageSource], 'spec.defaults': { diskSize: '24Gi' } }),
    creation: {
      ...dataSyncCases,
      ...casesBelow('spec.vms[0]', imageCases),
      ...casesBelow('spec.defaults', quantityCase('diskSize')),
    },
    change: {},
  },
  {
    good: withChanges(aVirtualMachine(), {
      spec: { ...machine, vmDiskImageRef: { name: 'debian' }, vmDiskImageTemplate: imageSource },
    }),
    creation: { ...casesBelow('spec', machineCases), ...casesBelow('spec.vmDiskImageTemplate', imageCases) },
    change: {},
  },
  {
    good: withChanges(aWorkspace(), { spec: lab }),
    creation: {
      ...casesBelow('spec', labCases),
      'a name too long for its namespace': {
        rule: workspaceName,
        field: '',
        refused: { 'metadata.name': 'w'.repeat(54) },
        accepted: { 'metadata.name': 'w'.repeat(53) },
      },
      'a name with a dot': {
        rule: workspaceName,
        field: '',
        refused: { 'metadata.name': 'lab.7' },
        accepted: { 'metadata.name': 'lab-7' },
      },
    },
    change: {},
  },
  {
    good: withChanges(aWorkspaceTemplate(), { 'spec.defaults': settings, 'spec.workspace': lab }),
    creation: { ...referableName, ...casesBelow('spec.defaults', settingsCases), ...casesBelow('spec.workspace', labCases) },
    change: {},
  },
  {
    good: withChanges(aWorkspaceInstance(), { 'spec.overrides': settings }),
    creation: casesBelow('spec.overrides', settingsCases),
    change: {
      'another template': {
        rule: 'templateRef cannot change, because the instance was made from that template; create another instance instead',
        field: 'spec.templateRef',
        refused: { 'spec.templateRef.name': 'docker-101' },
        accepted: { 'spec.currentStep': 'step-2' },
      },
      'another owner': {
        rule: 'owner cannot change, because the work in the instance belongs to that person; create another instance instead',
        field: 'spec.owner',
        refused: { 'spec.owner': 'grace' },
        accepted: { 'spec.overrides': undefined },
      },
    },
  },
];
