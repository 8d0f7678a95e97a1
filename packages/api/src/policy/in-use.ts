/**
 * What is in use is not deleted: refused before anything is lost, with the names of the users.
 *
 * The counts are the operator's, in status. With the operator stopped they stand still, and so does the protection.
 */
import { labels, pelotechGroup, workshopGroup } from '#common/keys.ts';
import type { PolicyDefinition, ResourceRule } from './admission-policy.ts';
import { namespaceIsTerminating } from './cel.ts';

const onDelete = (group: string, plural: string): ResourceRule => ({
  apiGroups: [group],
  apiVersions: ['*'],
  operations: ['DELETE'],
  resources: [plural],
});

function vmDiskImage(): PolicyDefinition {
  const count = 'variables.references';
  const names = `(has(oldObject.status.referencedBy) ? oldObject.status.referencedBy : [])`;
  return {
    name: 'terrain-vmdiskimage-in-use',
    purpose: 'A VMDiskImage that machines boot from is not deleted.',
    rule: onDelete(pelotechGroup, 'vmdiskimages'),
    variables: {
      references: `has(oldObject.status) && has(oldObject.status.references) ? oldObject.status.references : 0`,
      machines: `!has(oldObject.status) ? '' : ${names}.join(', ') + (${names}.size() > 0 && ${count} > ${names}.size() ? ' and others' : '')`,
    },
    validations: {
      unused: {
        // A namespace on its way out takes its machines' images with it anyway; refusing would only leave it Terminating for ever.
        expression: `${count} == 0 || ${namespaceIsTerminating}`,
        message: 'The VMDiskImage is in use by virtual machines: delete them first.',
        messageExpression: `'VMDiskImage ' + oldObject.metadata.namespace + '/' + oldObject.metadata.name + ' is in use by ' + string(${count}) + (${count} == 1 ? ' virtual machine' : ' virtual machines') + (variables.machines == '' ? '' : ' (' + variables.machines + ')') + ': delete them first, or point them to another image'`,
      },
    },
    action: 'Deny',
  };
}

/** Without it, deleting a namespace would remove Secrets and snapshots in it before the image's own protection is ever asked. */
function namespace(): PolicyDefinition {
  return {
    name: 'terrain-namespace-in-use',
    purpose: 'A namespace that holds disk images machines boot from is not deleted.',
    rule: onDelete('', 'namespaces'),
    objectSelector: { matchExpressions: [{ key: labels.imagesInUse, operator: 'Exists' }] },
    validations: {
      unused: {
        // Asked again about a namespace that is Terminating, yes is the only answer that lets it end.
        expression: 'has(oldObject.metadata.deletionTimestamp)',
        message: 'The namespace holds disk images that virtual machines boot from: delete the machines first.',
        messageExpression: `'Namespace ' + oldObject.metadata.name + ' holds disk images that virtual machines boot from: delete the machines first; kubectl get vmdi --namespace ' + oldObject.metadata.name + ' --output wide shows which images are in use'`,
      },
    },
    action: 'Deny',
  };
}

function workspaceTemplate(): PolicyDefinition {
  const count = 'variables.instances';
  return {
    name: 'terrain-workspacetemplate-in-use',
    purpose: 'A WorkspaceTemplate that instances run from is not deleted.',
    rule: onDelete(workshopGroup, 'workspacetemplates'),
    variables: {
      instances: 'has(oldObject.status) && has(oldObject.status.instances) ? oldObject.status.instances : 0',
    },
    validations: {
      unused: {
        expression: `${count} == 0`,
        message: 'The WorkspaceTemplate is in use by instances: delete them first.',
        messageExpression: `'WorkspaceTemplate ' + oldObject.metadata.name + ' is in use by ' + string(${count}) + (${count} == 1 ? ' instance' : ' instances') + ': delete them first; kubectl get wsi --all-namespaces lists them'`,
      },
    },
    action: 'Deny',
  };
}

/** The policies that protect what is in use from deletion. */
export const inUsePolicies = (): PolicyDefinition[] => [vmDiskImage(), namespace(), workspaceTemplate()];
