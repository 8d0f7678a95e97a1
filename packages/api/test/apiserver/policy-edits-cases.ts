/** Objects that somebody edits who may write them, and has no right on what they refer to. */
import { aDataSync, aMachine, anImage, aTemplate, aWorkspace, publicSource, type Subject } from './policy-objects.ts';
import { farmRef, pulls, user, withSecret } from './policy-rights-cases.ts';

/** An existing object that somebody without any right edits. */
export type Edit = {
  readonly existing: Subject;
  /** Merge patches that leave all references as they are: accepted. */
  readonly harmless: Readonly<Record<string, object>>;
  /** Merge patches that change a reference, or where a credential is sent: refused by that validation. */
  readonly refused: Readonly<Record<string, { readonly patch: object; readonly rule: string }>>;
};

const elsewhere = 'https://mallory.example.com/collect';
const machines = (...items: object[]) =>
  items.map((item, n) => ({ name: `vm-${n}`, resources: { cpu: '1', memory: '1Gi' }, backingVMDiskImage: 'demo-vmdi', ...item }));

export const edits: Readonly<Record<string, Edit>> = {
  VMDiskImage: {
    existing: anImage({ ...withSecret, certConfigMap: 'certs' }),
    harmless: {
      'a label': { metadata: { labels: { a: 'b' } } },
      'another field': { spec: { retain: true } },
      'no Secret and no certificates any more': { spec: { secretRef: null, certConfigMap: null } },
    },
    refused: {
      'another Secret': { patch: { spec: { secretRef: 'other' } }, rule: 'terrain-vmdiskimage-rights/secrets' },
      'the same Secret sent elsewhere': { patch: { spec: { url: elsewhere } }, rule: 'terrain-vmdiskimage-rights/secrets' },
      'the same Secret sent in another way': {
        patch: { spec: { sourceType: 's3' } },
        rule: 'terrain-vmdiskimage-rights/secrets',
      },
      'other certificates, no Secret': {
        patch: { spec: { secretRef: null, certConfigMap: 'other' } },
        rule: 'terrain-vmdiskimage-rights/certificates',
      },
    },
  },
  DataSync: {
    existing: aDataSync([withSecret, publicSource], { defaults: { secretRef: 'all' } }),
    harmless: {
      'a label': { metadata: { labels: { a: 'b' } } },
      'another field': { spec: { version: '2' } },
      'another default': { spec: { defaults: { diskSize: '2Gi' } } },
      'one item fewer, another larger': { spec: { vms: [{ name: 'vm-0', ...withSecret, diskSize: '2Gi' }] } },
    },
    refused: {
      'a new item with no Secret of its own': {
        patch: {
          spec: {
            vms: [
              { name: 'vm-0', ...withSecret },
              { name: 'new', ...publicSource },
            ],
          },
        },
        rule: 'terrain-datasync-rights/secrets',
      },
      'an item’s Secret sent elsewhere': {
        patch: { spec: { vms: [{ name: 'vm-0', ...withSecret, url: elsewhere }] } },
        rule: 'terrain-datasync-rights/secrets',
      },
      'another Secret for all': {
        patch: { spec: { defaults: { secretRef: 'other' } } },
        rule: 'terrain-datasync-rights/secrets',
      },
    },
  },
  VirtualMachine: {
    existing: aMachine({
      vmDiskImageRef: farmRef,
      vmDiskImageTemplate: { ...withSecret, certConfigMap: 'certs' },
      users: [user('me', 'passwords')],
    }),
    harmless: {
      'a label': { metadata: { labels: { a: 'b' } } },
      'another field': { spec: { powerState: 'Stopped' } },
      'no template and no users any more': { spec: { vmDiskImageTemplate: null, users: null } },
      'one more user with the same Secret': { spec: { users: [user('me', 'passwords'), user('you', 'passwords')] } },
    },
    refused: {
      'another image there': {
        patch: { spec: { vmDiskImageRef: { name: 'other' }, vmDiskImageTemplate: null } },
        rule: 'terrain-virtualmachine-rights/useImage',
      },
      'another template there': {
        patch: { spec: { vmDiskImageTemplate: { url: elsewhere, secretRef: null, certConfigMap: null } } },
        rule: 'terrain-virtualmachine-rights/createImage',
      },
      'the image in another namespace': {
        patch: { spec: { vmDiskImageRef: { namespace: 'default' } } },
        rule: 'terrain-virtualmachine-rights/useImage',
      },
      'the image in its own namespace, with that namespace’s Secret': {
        patch: { spec: { vmDiskImageRef: { namespace: '' } } },
        rule: 'terrain-virtualmachine-rights/secrets',
      },
      'another password': {
        patch: { spec: { users: [user('me', 'other')] } },
        rule: 'terrain-virtualmachine-rights/passwordSecrets',
      },
    },
  },
  ...labEdit('Workspace', aWorkspace, (spec) => ({ spec })),
  ...labEdit('WorkspaceTemplate', aTemplate, (workspace) => ({ spec: { workspace } })),
};

function labEdit(
  kind: string,
  build: (items: readonly Record<string, unknown>[], more: Record<string, unknown>) => Subject,
  patchLab: (spec: object) => object,
): Record<string, Edit> {
  const policy = `terrain-${kind.toLowerCase()}-rights`;
  const patch = (vms: readonly object[]) => patchLab({ vms });
  const first = { vmDiskImageTemplate: { ...withSecret, certConfigMap: 'certs' }, users: [user('me', 'passwords')] };
  return {
    [kind]: {
      existing: build([first, { backingVMDiskImage: 'other' }], pulls('registry', 'mirror')),
      harmless: {
        'a label': { metadata: { labels: { a: 'b' } } },
        'another field of a machine': patch(machines(first, { backingVMDiskImage: 'other', powerState: 'Stopped' })),
        'one machine fewer': patch(machines(first)),
        'one more machine with an image it already has': patch(
          machines(first, { backingVMDiskImage: 'other' }, { backingVMDiskImage: 'other' }),
        ),
        'pull secrets in another order': { spec: pulls('mirror', 'registry') },
        'one pull secret fewer': { spec: pulls('mirror') },
        'no pull secrets any more': { spec: { imagePullSecrets: null } },
        'a pull secret of the object for its lab': patchLab(pulls('registry')),
        'no template any more': patch(machines({}, { backingVMDiskImage: 'other' })),
        'one more user with the same Secret': patch(
          machines({ ...first, users: [user('me', 'passwords'), user('you', 'passwords')] }, { backingVMDiskImage: 'other' }),
        ),
      },
      refused: {
        'another pull secret': { patch: { spec: pulls('registry', 'other') }, rule: `${policy}/pullSecrets` },
        'another pull secret for the lab': { patch: patchLab(pulls('other')), rule: `${policy}/pullSecrets` },
        'another password': {
          patch: patch(machines({ ...first, users: [user('me', 'other')] })),
          rule: `${policy}/passwordSecrets`,
        },
        'the password of another machine': {
          patch: patch(machines(first, { backingVMDiskImage: 'other', users: [user('me', 'passwords')] })),
          rule: `${policy}/passwordSecrets`,
        },
        'one more image': {
          patch: patch(machines(first, { backingVMDiskImage: 'new' })),
          rule: `${policy}/useImages`,
        },
        'a template for an image it already has': {
          patch: patch(machines(first, { backingVMDiskImage: 'other', vmDiskImageTemplate: publicSource })),
          rule: `${policy}/createImages`,
        },
        'the same template for another image': {
          patch: patch(machines({ ...first, backingVMDiskImage: 'other' })),
          rule: `${policy}/createImages`,
        },
        'a template that downloads from elsewhere': {
          patch: patch(machines({ vmDiskImageTemplate: { ...withSecret, url: elsewhere } })),
          rule: `${policy}/createImages`,
        },
      },
    },
  };
}
