/**
 * The operator's rights are never lent out: what an object makes the operator read or create, its author must be allowed to read or
 * create. The API server asks its authorizer about the person behind the request, before the object exists.
 *
 * What did not change is not asked again, so that somebody with fewer rights can still edit other fields. A credential counts as
 * changed together with where it is sent: keeping secretRef and pointing url at a server of one's own would be handed the credential.
 */
import { pelotechGroup } from '#common/keys.ts';
import type { PolicyDefinition, Validation } from './admission-policy.ts';
import { everyNamespace, isAllowed, isAllowedOn, isAllowedOnAll, namedObjects, type Right } from './authorizer.ts';
import { allOf, imageNamespace, notTheOperator, orEmpty, quoted, sameField } from './cel.ts';
import { type InstallOptions, resolveInstall } from './install.ts';
import { itemVariables, type SourceHolder, sourceHolders } from './source-holder.ts';

const who = 'request.userInfo.username';
const needs = (right: string) => `${who} + ' needs the right to ${right} '`;

/** CEL of the Secret or ConfigMap a source names; `root` is the object the item belongs to. */
type Reference = (item: string, root: 'object' | 'oldObject') => string;

type References = { readonly secret: Reference; readonly certificates?: Reference };

function referenceVariables(holder: SourceHolder, { secret, certificates }: References): Record<string, string> {
  const { hasSource, source, same } = holder;
  const equal = allOf(
    same('v', 'b'),
    hasSource('b'),
    `${source('b')}.sourceType == ${source('v')}.sourceType`,
    sameField(source('b'), source('v'), 'url'),
    `${secret('b', 'oldObject')} == ${secret('v', 'object')}`,
    ...(certificates === undefined ? [] : [`${certificates('b', 'oldObject')} == ${certificates('v', 'object')}`]),
  );
  const named = (reference: Reference) =>
    `variables.changed.filter(v, ${reference('v', 'object')} != '').map(v, ${reference('v', 'object')})`;
  return {
    changed: `variables.now.filter(v, ${allOf(hasSource('v'), `!variables.before.exists(b, ${equal})`)})`,
    secrets: named(secret),
    ...(certificates === undefined ? {} : { certificates: named(certificates) }),
  };
}

/** `advice` is CEL of what to do without the right, as sentences. */
function mayGet(kind: 'Secret' | 'ConfigMap', namespace: string, names: string, why: string, advice?: string): Validation {
  const right: Right = { verb: 'get', group: '', resource: `${kind.toLowerCase()}s`, namespace };
  const usual = `Ask for that right, or name a ${kind} you may read.`;
  const ending = advice === undefined ? `', because ${why}. ${usual}'` : `', because ${why}. ' + ${advice}`;
  return {
    expression: isAllowedOnAll(right, names),
    message: `The author of the object needs the right to get the ${kind} it names, because ${why}.`,
    messageExpression: `${needs('get')} + ${namedObjects(kind, namespace, names)} + ${ending}`,
  };
}

const secretReason = 'what the Secret holds is sent to the source';
const passwordReason = 'a password is taken from it';
const certificatesReason = 'its content is used for the download';
const pullReason = 'what a pull secret holds is copied to where the lab runs';

function referenceValidations(namespace: string, { certificates }: References): Record<string, Validation> {
  return {
    secrets: mayGet('Secret', namespace, 'variables.secrets', secretReason),
    ...(certificates === undefined
      ? {}
      : { certificates: mayGet('ConfigMap', namespace, 'variables.certificates', certificatesReason) }),
  };
}

const ownReferences = (holder: SourceHolder): Required<References> => ({
  secret: (item) => orEmpty(holder.source(item), 'secretRef'),
  certificates: (item) => orEmpty(holder.source(item), 'certConfigMap'),
});

function base(holder: SourceHolder, purpose: string): Pick<PolicyDefinition, 'name' | 'purpose' | 'rule' | 'action'> {
  const { kind, group, plural } = holder;
  return {
    name: `terrain-${kind.toLowerCase()}-rights`,
    purpose,
    rule: { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [plural] },
    action: 'Deny',
  };
}

function vmDiskImage(operatorUser: string): PolicyDefinition {
  const holder = sourceHolders.VMDiskImage;
  const references = ownReferences(holder);
  return {
    ...base(holder, 'Who writes a VMDiskImage may read the Secret and the ConfigMap it names.'),
    // The operator makes images out of a DataSync, a VirtualMachine, a Workspace or the sync policy. Whoever wrote those was asked
    // for the same right on the same Secret; the sync policy is written by administrators.
    conditions: { 'not-the-operator': notTheOperator(operatorUser) },
    variables: { ...itemVariables(holder), ...referenceVariables(holder, references) },
    validations: referenceValidations('request.namespace', references),
  };
}

function dataSync(): PolicyDefinition {
  const holder = sourceHolders.DataSync;
  const secret: Reference = (item, root) =>
    `(has(${item}.secretRef) ? ${item}.secretRef : has(${root}.spec.defaults) ? ${orEmpty(`${root}.spec.defaults`, 'secretRef')} : '')`;
  return {
    // Nobody is exempt: the operator never writes a DataSync's spec.
    ...base(holder, 'Who writes a DataSync may read the Secrets its items name.'),
    variables: { ...itemVariables(holder), ...referenceVariables(holder, { secret }) },
    validations: referenceValidations('request.namespace', { secret }),
  };
}

function virtualMachine(operatorUser: string): PolicyDefinition {
  const holder = sourceHolders.VirtualMachine;
  const references = ownReferences(holder);
  const ref = 'object.spec.vmDiskImageRef';
  const images = (verb: string): Right => ({
    verb,
    group: pelotechGroup,
    resource: 'vmdiskimages',
    namespace: 'variables.imageNamespace',
  });
  const passwords = (object: string) =>
    `(has(${object}.spec.users) ? ${object}.spec.users.filter(u, has(u.passwordSecretRef)).map(u, u.passwordSecretRef.name) : [])`;
  const image = `variables.imageNamespace + '/' + ${ref}.name`;
  return {
    ...base(
      holder,
      'Who writes a VirtualMachine may use the image it refers to in another namespace, create it there if it brings a template, and read the Secrets and ConfigMaps it names.',
    ),
    // The operator makes VirtualMachines out of Workspaces. Whoever wrote the Workspace was asked for the right to use (and create)
    // images in the image namespace, and for the Secrets of its templates and of its users.
    conditions: { 'not-the-operator': notTheOperator(operatorUser) },
    variables: {
      ...itemVariables(holder),
      ...referenceVariables(holder, references),
      imageNamespace: `${orEmpty(ref, 'namespace')} != '' ? ${ref}.namespace : request.namespace`,
      elsewhere: 'variables.imageNamespace != request.namespace',
      sameImage: `oldObject != null && ${holder.same('object.spec', 'oldObject.spec')}`,
      sameTemplate: `variables.sameImage && has(oldObject.spec.vmDiskImageTemplate) && has(object.spec.vmDiskImageTemplate) && object.spec.vmDiskImageTemplate == oldObject.spec.vmDiskImageTemplate`,
      oldPasswords: `oldObject == null ? [] : ${passwords('oldObject')}`,
      passwords: `${passwords('object')}.filter(n, !(n in variables.oldPasswords))`,
    },
    validations: {
      useImage: {
        expression: `!variables.elsewhere || variables.sameImage || ${isAllowedOn(images('use'), `${ref}.name`)}`,
        message: 'The author of a VirtualMachine needs the right to use the VMDiskImage it refers to in another namespace.',
        messageExpression: `${needs('use')} + 'VMDiskImage ' + ${image} + ', which spec.vmDiskImageRef names in another namespace. Ask for that right, or refer to an image you may use.'`,
      },
      createImage: {
        expression: `!variables.elsewhere || !has(object.spec.vmDiskImageTemplate) || variables.sameTemplate || ${isAllowed(images('create'))}`,
        message: 'The author of a VirtualMachine needs the right to create VMDiskImages in the namespace its template is for.',
        messageExpression: `${needs('create')} + 'VMDiskImages in namespace ' + variables.imageNamespace + ', because spec.vmDiskImageTemplate may be made into ' + ${image} + '. Ask for that right, or leave out the template.'`,
      },
      ...referenceValidations('variables.imageNamespace', references),
      passwordSecrets: mayGet('Secret', 'request.namespace', 'variables.passwords', passwordReason),
    },
  };
}

/**
 * CEL of the Secrets that users of machines newly take their passwords from. Lists of lists are made flat by way of text: no name holds a space.
 */
function newPasswords(): string {
  const isNew = `(!variables.before.exists(b, b.name == v.name && has(b.users) && b.users.exists(o, has(o.passwordSecretRef) && o.passwordSecretRef.name == u.passwordSecretRef.name)))`;
  const named = `v.users.filter(u, has(u.passwordSecretRef) && ${isNew}).map(u, u.passwordSecretRef.name)`;
  return `variables.now.map(v, has(v.users) ? ${named}.join(' ') : '').join(' ').split(' ').filter(n, n != '')`;
}

/** Where a lab takes passwords from, which is where its machines will be. */
interface PasswordPlace {
  /** CEL. */
  readonly namespace: string;
  /** CEL of what to do without the right to read there. */
  readonly advice: string;
}

/** The namespace is made after the Workspace, so that no Role in it can be had before; and a guest gets its users at the first boot only. */
const passwordsOfWorkspace: PasswordPlace = {
  namespace: `'workspace-' + object.metadata.name`,
  advice: `(oldObject == null ? 'That namespace is made for the Workspace, so until then only a ClusterRole with a ClusterRoleBinding gives that right: ask for these, or create the Workspace without the machine that names the Secret and add that machine once a Role and a RoleBinding there give you the right.' : 'Ask for a Role and a RoleBinding there, or name a Secret you may read.')`,
};

/** A lab made from it may have any name. */
const passwordsOfTemplate: PasswordPlace = {
  namespace: everyNamespace,
  advice: `'Labs of the template may have any name, so only a ClusterRole with a ClusterRoleBinding gives that right: ask for these, or name a Secret for which you have them.'`,
};

type LabKind = 'Workspace' | 'WorkspaceTemplate';

/** CEL of the names of all pull secrets below a spec. */
const pullSecretsOf = (spec: string) => `(has(${spec}.imagePullSecrets) ? ${spec}.imagePullSecrets.map(s, s.name) : [])`;

/** CEL of the names of all pull secrets of an object: a WorkspaceTemplate has those of its steps and those of its lab. */
const pullSecrets: Readonly<Record<LabKind, (object: string) => string>> = {
  Workspace: (object) => pullSecretsOf(`${object}.spec`),
  WorkspaceTemplate: (object) =>
    `${pullSecretsOf(`${object}.spec`)} + (has(${object}.spec.workspace) ? ${pullSecretsOf(`${object}.spec.workspace`)} : [])`,
};

/**
 * Workspace and WorkspaceTemplate: the images are in the image namespace of the sync policy in force, pull secrets where the
 * operator is.
 */
function lab(kind: LabKind, passwordPlace: PasswordPlace, operatorNamespace: string): PolicyDefinition {
  const holder = sourceHolders[kind];
  const references = ownReferences(holder);
  const images = (verb: string): Right => ({
    verb,
    group: pelotechGroup,
    resource: 'vmdiskimages',
    namespace: 'variables.imageNamespace',
  });
  const isNew = `!variables.before.exists(b, has(b.backingVMDiskImage) && b.backingVMDiskImage == v.backingVMDiskImage)`;
  const isOldTemplate = `variables.before.exists(b, ${holder.same('v', 'b')} && ${holder.hasSource('b')} && ${holder.source('b')} == ${holder.source('v')})`;
  return {
    ...base(
      holder,
      `Who writes a ${holder.kind} may use the images its machines boot from, create those it brings templates for, and read the Secrets and ConfigMaps these and its users name, and its pull secrets.`,
    ),
    readsLedger: true,
    variables: {
      ...itemVariables(holder),
      ...referenceVariables(holder, references),
      imageNamespace,
      images: `variables.now.filter(v, has(v.backingVMDiskImage) && ${isNew}).map(v, v.backingVMDiskImage)`,
      templates: `variables.now.filter(v, ${holder.hasSource('v')} && !${isOldTemplate})`,
      passwords: newPasswords(),
      oldPullSecrets: `oldObject == null ? [] : ${pullSecrets[kind]('oldObject')}`,
      pullSecrets: `(${pullSecrets[kind]('object')}).filter(n, !(n in variables.oldPullSecrets))`,
    },
    validations: {
      useImages: {
        expression: isAllowedOnAll(images('use'), 'variables.images'),
        message: `The author of a ${holder.kind} needs the right to use the VMDiskImages its machines boot from.`,
        messageExpression: `${needs('use')} + ${namedObjects('VMDiskImage', 'variables.imageNamespace', 'variables.images')} + ', because machines boot from what backingVMDiskImage names. Ask for that right, or name an image you may use.'`,
      },
      createImages: {
        expression: `variables.templates.size() == 0 || ${isAllowed(images('create'))}`,
        message: `The author of a ${holder.kind} needs the right to create the VMDiskImages it brings templates for.`,
        messageExpression: `${needs('create')} + 'VMDiskImages in namespace ' + variables.imageNamespace + ', because a vmDiskImageTemplate may be made into one. Ask for that right, or leave out the template.'`,
      },
      ...referenceValidations('variables.imageNamespace', references),
      passwordSecrets: mayGet('Secret', passwordPlace.namespace, 'variables.passwords', passwordReason, passwordPlace.advice),
      pullSecrets: mayGet('Secret', quoted(operatorNamespace), 'variables.pullSecrets', pullReason),
    },
  };
}

/** The policies about what authors of objects may make the operator do. */
export function rightsPolicies(install: InstallOptions = {}): PolicyDefinition[] {
  const { operatorUser, operatorNamespace } = resolveInstall(install);
  return [
    vmDiskImage(operatorUser),
    dataSync(),
    virtualMachine(operatorUser),
    // The operator makes Workspaces out of WorkspaceTemplates, whose author was asked the same questions.
    {
      ...lab('Workspace', passwordsOfWorkspace, operatorNamespace),
      conditions: { 'not-the-operator': notTheOperator(operatorUser) },
    },
    // Nobody is exempt: the operator never writes a WorkspaceTemplate's spec.
    lab('WorkspaceTemplate', passwordsOfTemplate, operatorNamespace),
  ];
}
