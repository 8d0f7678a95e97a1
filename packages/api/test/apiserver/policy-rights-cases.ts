/** Every way to make the operator read, use or create something on one's behalf, and the right each takes. */
import {
  aDataSync,
  aMachine,
  anImage,
  aTemplate,
  aWorkspace,
  farm,
  labNamespace,
  operatorHome,
  publicSource,
  type Subject,
  team,
} from './policy-objects.ts';
import type { Grant } from './policy-people.ts';

const images = (verb: string, name?: string): Grant => ({
  verb,
  group: 'pelotech.ot',
  resource: 'vmdiskimages',
  namespace: farm,
  ...(name === undefined ? {} : { name }),
});
const get = (resource: 'secrets' | 'configmaps', namespace: string | undefined, name?: string): Grant => ({
  verb: 'get',
  group: '',
  resource,
  ...(namespace === undefined ? {} : { namespace }),
  ...(name === undefined ? {} : { name }),
});

/** A download with a credential. */
export const withSecret = { ...publicSource, secretRef: 'foo-bar' };
const withOtherSecret = { ...publicSource, secretRef: 'other' };
const withCertificates = { ...publicSource, certConfigMap: 'certs' };
/** An image elsewhere. */
export const farmRef = { name: 'demo-vmdi', namespace: farm };
/** An account whose password is kept in a Secret. */
export const user = (name: string, secret: string) => ({ name, passwordSecretRef: { name: secret, key: 'password' } });

/** Pull secrets as a spec names them. */
export const pulls = (...names: string[]) => ({ imagePullSecrets: names.map((name) => ({ name })) });

/** An object that is refused without a right, and accepted for the same person with it. */
export type Borrowing = {
  /** `policy/validation` that refuses. */
  readonly rule: string;
  readonly subject: Subject;
  /** The right that is missing. */
  readonly right: Grant;
  /** Rights the person has from the start. */
  readonly has?: readonly Grant[];
  /** What follows "NAME needs the right to " in the refusal. */
  readonly words: RegExp;
};

export const borrowings: Readonly<Record<string, Borrowing>> = {
  'the Secret of a VMDiskImage': {
    rule: 'terrain-vmdiskimage-rights/secrets',
    subject: anImage(withSecret),
    right: get('secrets', team, 'foo-bar'),
    has: [get('secrets', team, 'other'), get('secrets', farm, 'foo-bar')],
    words:
      /get Secret team-a\/foo-bar, because what the Secret holds is sent to the source\. Ask for that right, or name a Secret you may read/,
  },
  'the certificates of a VMDiskImage': {
    rule: 'terrain-vmdiskimage-rights/certificates',
    subject: anImage(withCertificates),
    right: get('configmaps', team, 'certs'),
    has: [get('configmaps', farm, 'certs')],
    words: /get ConfigMap team-a\/certs, because its content is used for the download\. Ask for that right, or name a ConfigMap/,
  },
  'the Secret of a DataSync’s item': {
    rule: 'terrain-datasync-rights/secrets',
    subject: aDataSync([publicSource, withSecret]),
    right: get('secrets', team, 'foo-bar'),
    words: /get Secret team-a\/foo-bar, because/,
  },
  'the Secret for all items of a DataSync': {
    rule: 'terrain-datasync-rights/secrets',
    subject: aDataSync([publicSource, publicSource], { defaults: { secretRef: 'foo-bar' } }),
    right: get('secrets', team, 'foo-bar'),
    words: /get Secret team-a\/foo-bar, because/,
  },
  'several Secrets of a DataSync': {
    rule: 'terrain-datasync-rights/secrets',
    subject: aDataSync([withSecret, withOtherSecret]),
    right: get('secrets', team),
    has: [get('secrets', team, 'foo-bar'), get('secrets', team, 'other')],
    words: /get all Secrets in namespace team-a \(more than one is named\), because/,
  },
  'an item’s Secret beside the one for all': {
    rule: 'terrain-datasync-rights/secrets',
    subject: aDataSync([publicSource, withOtherSecret], { defaults: { secretRef: 'foo-bar' } }),
    right: get('secrets', team),
    words: /get all Secrets in namespace team-a \(more than one is named\), because/,
  },
  'an image in another namespace for a VirtualMachine': {
    rule: 'terrain-virtualmachine-rights/useImage',
    subject: aMachine({ vmDiskImageRef: farmRef }),
    right: images('use', 'demo-vmdi'),
    has: [images('use', 'other'), images('get')],
    words: /use VMDiskImage vmdi-farm\/demo-vmdi, which spec\.vmDiskImageRef names in another namespace\. Ask for that right/,
  },
  'an image made in another namespace by a VirtualMachine': {
    rule: 'terrain-virtualmachine-rights/createImage',
    subject: aMachine({ vmDiskImageRef: farmRef, vmDiskImageTemplate: publicSource }),
    right: images('create'),
    has: [images('use')],
    words:
      /create VMDiskImages in namespace vmdi-farm, because spec\.vmDiskImageTemplate may be made into vmdi-farm\/demo-vmdi\. Ask for/,
  },
  'a Secret in another namespace for a VirtualMachine’s template': {
    rule: 'terrain-virtualmachine-rights/secrets',
    subject: aMachine({ vmDiskImageRef: farmRef, vmDiskImageTemplate: withSecret }),
    right: get('secrets', farm, 'foo-bar'),
    has: [images('use'), images('create'), get('secrets', team)],
    words: /get Secret vmdi-farm\/foo-bar, because what the Secret holds is sent to the source/,
  },
  'a Secret in the same namespace for a VirtualMachine’s template': {
    rule: 'terrain-virtualmachine-rights/secrets',
    subject: aMachine({ vmDiskImageTemplate: withSecret }),
    right: get('secrets', team, 'foo-bar'),
    has: [get('secrets', farm)],
    words: /get Secret team-a\/foo-bar, because what the Secret holds is sent to the source/,
  },
  'certificates in another namespace for a VirtualMachine’s template': {
    rule: 'terrain-virtualmachine-rights/certificates',
    subject: aMachine({ vmDiskImageRef: farmRef, vmDiskImageTemplate: withCertificates }),
    right: get('configmaps', farm, 'certs'),
    has: [images('use'), images('create'), get('configmaps', team)],
    words: /get ConfigMap vmdi-farm\/certs, because its content is used for the download/,
  },
  'a password for a VirtualMachine': {
    rule: 'terrain-virtualmachine-rights/passwordSecrets',
    subject: aMachine({ users: [user('me', 'passwords'), user('you', 'passwords')] }),
    right: get('secrets', team, 'passwords'),
    words:
      /get Secret team-a\/passwords, because a password is taken from it\. Ask for that right, or name a Secret you may read\./,
  },
  'passwords from several Secrets for a VirtualMachine': {
    rule: 'terrain-virtualmachine-rights/passwordSecrets',
    subject: aMachine({ users: [user('me', 'passwords'), user('you', 'other')] }),
    right: get('secrets', team),
    has: [get('secrets', team, 'passwords')],
    words: /get all Secrets in namespace team-a \(more than one is named\), because a password is taken from it/,
  },
  ...lab('Workspace', aWorkspace),
  ...lab('WorkspaceTemplate', aTemplate),
  'a password for a Workspace': {
    rule: 'terrain-workspace-rights/passwordSecrets',
    subject: aWorkspace([{ users: [user('me', 'registry-pull')] }, { users: [user('you', 'registry-pull')] }]),
    right: get('secrets', labNamespace, 'registry-pull'),
    has: [images('use'), get('secrets', team), get('secrets', farm)],
    words:
      /get Secret workspace-lab\/registry-pull, because a password is taken from it\. That namespace is made for the Workspace, so until then only a ClusterRole with a ClusterRoleBinding gives that right: ask for these, or create the Workspace without the machine that names the Secret and add that machine once a Role and a RoleBinding there give you the right\./,
  },
  'passwords from several Secrets for a Workspace': {
    rule: 'terrain-workspace-rights/passwordSecrets',
    subject: aWorkspace([{ users: [user('me', 'one'), { name: 'x', hashed_passwd: '$6$x' }] }, { users: [user('me', 'two')] }]),
    right: get('secrets', labNamespace),
    has: [images('use'), get('secrets', labNamespace, 'one'), get('secrets', labNamespace, 'two')],
    words: /get all Secrets in namespace workspace-lab \(more than one is named\), because a password is taken from it/,
  },
  'a password for a WorkspaceTemplate, whose labs may have any name': {
    rule: 'terrain-workspacetemplate-rights/passwordSecrets',
    subject: aTemplate([{}, { users: [user('me', 'passwords')] }]),
    right: get('secrets', undefined, 'passwords'),
    has: [images('use'), get('secrets', team), get('secrets', labNamespace)],
    words:
      /get Secret passwords in every namespace, because a password is taken from it\. Labs of the template may have any name, so only a ClusterRole with a ClusterRoleBinding gives that right: ask for these, or name a Secret for which you have them\./,
  },
  'passwords from several Secrets for a WorkspaceTemplate': {
    rule: 'terrain-workspacetemplate-rights/passwordSecrets',
    subject: aTemplate([{ users: [user('me', 'one'), user('you', 'two')] }]),
    right: get('secrets', undefined),
    has: [images('use'), get('secrets', undefined, 'one')],
    words: /get all Secrets in every namespace \(more than one is named\), because a password is taken from it/,
  },
  ...pulling('the containers of a Workspace', 'workspace', (imagePullSecrets) => aWorkspace([{}], { imagePullSecrets })),
  ...pulling('the steps of a WorkspaceTemplate', 'workspacetemplate', (imagePullSecrets) =>
    aTemplate([{}], { imagePullSecrets }),
  ),
  ...pulling('the lab of a WorkspaceTemplate', 'workspacetemplate', (imagePullSecrets) =>
    aTemplate([{}], { workspace: { imagePullSecrets } }),
  ),
  'pull secrets of which the lab and the steps have one each': {
    rule: 'terrain-workspacetemplate-rights/pullSecrets',
    subject: aTemplate([{}], { ...pulls('one'), workspace: pulls('two') }),
    right: get('secrets', operatorHome),
    has: [images('use'), get('secrets', operatorHome, 'one'), get('secrets', operatorHome, 'two')],
    words: /get all Secrets in namespace sync-operator \(more than one is named\), because what a pull secret holds/,
  },
};

/** The same question wherever pull secrets are named. Rights on Secrets of that name elsewhere do not count. */
function pulling(what: string, kind: string, build: (secrets: { name: string }[]) => Subject): Record<string, Borrowing> {
  const rule = `terrain-${kind}-rights/pullSecrets`;
  const elsewhere = [team, farm, labNamespace].map((namespace) => get('secrets', namespace));
  return {
    [`a pull secret for ${what}`]: {
      rule,
      subject: build([{ name: 'registry' }]),
      right: get('secrets', operatorHome, 'registry'),
      has: [images('use'), get('secrets', operatorHome, 'other'), ...elsewhere],
      words:
        /get Secret sync-operator\/registry, because what a pull secret holds is copied to where the lab runs\. Ask for that right, or name a Secret you may read/,
    },
    [`several pull secrets for ${what}`]: {
      rule,
      subject: build([{ name: 'one' }, { name: 'two' }]),
      right: get('secrets', operatorHome),
      has: [images('use'), get('secrets', operatorHome, 'one'), get('secrets', operatorHome, 'two')],
      words: /get all Secrets in namespace sync-operator \(more than one is named\), because what a pull secret holds is copied/,
    },
  };
}

function lab(kind: string, build: (machines: readonly Record<string, unknown>[]) => Subject): Record<string, Borrowing> {
  const policy = `terrain-${kind.toLowerCase()}-rights`;
  const mayUse = [images('use'), images('create')];
  return {
    [`an image for a ${kind}`]: {
      rule: `${policy}/useImages`,
      subject: build([{}, {}]),
      right: images('use', 'demo-vmdi'),
      has: [images('use', 'other')],
      words:
        /use VMDiskImage vmdi-farm\/demo-vmdi, because machines boot from what backingVMDiskImage names\. Ask for that right/,
    },
    [`several images for a ${kind}`]: {
      rule: `${policy}/useImages`,
      subject: build([{}, {}, { backingVMDiskImage: 'other' }]),
      right: images('use'),
      has: [images('use', 'demo-vmdi'), images('use', 'other')],
      words: /use all VMDiskImages in namespace vmdi-farm \(more than one is named\), because machines boot from/,
    },
    [`an image made by a ${kind}`]: {
      rule: `${policy}/createImages`,
      subject: build([{}, { vmDiskImageTemplate: publicSource }]),
      right: images('create'),
      has: [images('use')],
      words:
        /create VMDiskImages in namespace vmdi-farm, because a vmDiskImageTemplate may be made into one\. Ask for that right/,
    },
    [`a Secret for a ${kind}’s image template`]: {
      rule: `${policy}/secrets`,
      subject: build([{ vmDiskImageTemplate: withSecret }]),
      right: get('secrets', farm, 'foo-bar'),
      has: [...mayUse, get('secrets', team)],
      words: /get Secret vmdi-farm\/foo-bar, because what the Secret holds is sent to the source/,
    },
    [`certificates for a ${kind}’s image template`]: {
      rule: `${policy}/certificates`,
      subject: build([{ vmDiskImageTemplate: withCertificates }]),
      right: get('configmaps', farm, 'certs'),
      has: [...mayUse, get('configmaps', team)],
      words: /get ConfigMap vmdi-farm\/certs, because its content is used for the download/,
    },
  };
}
