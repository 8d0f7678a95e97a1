import type { Static } from 'typebox';
import { bounds } from '#common/bounds.ts';
import { commonStatus } from '#common/condition.ts';
import { addressWithPrefix, dnsLabel, objectName, objectNameOrEmpty, oneOf, positiveQuantity, text } from '#common/field.ts';
import type { pelotechApiVersion } from '#common/keys.ts';
import { mapList } from '#common/list.ts';
import type { CustomResource } from '#common/metadata.ts';
import { rules } from '#common/rule.ts';
import { Type } from '#schema/type.ts';
import { containerCluster } from './container.ts';
import { network, topologyRules } from './network.ts';
import { workspaceVm } from './vm.ts';

const volume = Type.Object(
  {
    name: dnsLabel('Name the volumeMounts refer to.'),
    size: positiveQuantity('size', 'Size of the volume, such as 1Gi.'),
    localPath: Type.Optional(
      text(
        1024,
        'Directory inside contentImage whose content fills the volume once. Without contentImage the volume starts empty.',
        {
          rules: [
            {
              rule: "self.startsWith('/') && !self.contains('/../') && !self.endsWith('/..')",
              message: 'localPath must be an absolute path without .. in it: a directory inside contentImage, such as /config',
            },
          ],
        },
      ),
    ),
    storageClass: Type.Optional(objectNameOrEmpty("StorageClass of the volume. Empty means the cluster's default.")),
  },
  { description: 'One volume that containers can mount.' },
);

const deployRunner = Type.Object(
  {
    network: dnsLabel('The network the runner is on; it must reach the machines.'),
    ipAddress: addressWithPrefix('deployRunner.ipAddress', 'Its address there, with prefix length.'),
  },
  {
    description:
      'The place in the lab from which deploy roles are applied. Left out: they are not applied, and a condition says so.',
  },
);

/** A reference to a Secret by name. */
export const pullSecretRef = Type.Object(
  { name: objectName('Name of the Secret.') },
  { description: 'One Secret with credentials of a registry.' },
);

/** What a Workspace asks for. Also the lab of a WorkspaceTemplate; `description` is the line `kubectl explain` shows there. */
export function workspaceSpecSchema(description: string) {
  return Type.Object(
    {
      vms: Type.Optional(mapList(workspaceVm, ['name'], 'Virtual machines of the workspace.', { maxItems: bounds.vms })),
      containerClusters: Type.Optional(
        mapList(containerCluster, ['name'], 'Containers of the workspace.', { maxItems: bounds.containerClusters }),
      ),
      volumes: Type.Optional(
        mapList(volume, ['name'], 'Volumes of the workspace. Unused ones are legal.', { maxItems: bounds.volumes }),
      ),
      networks: Type.Optional(
        mapList(network, ['name'], 'Isolated networks of the workspace. Unused ones are legal.', { maxItems: bounds.networks }),
      ),
      contentImage: Type.Optional(
        text(512, 'Container image whose directories fill volumes that have a localPath.', { minLength: 1 }),
      ),
      deployRunner: Type.Optional(deployRunner),
      powerState: Type.Optional(
        oneOf(['Running', 'Stopped'], 'Whether the machines and containers run. Stopped keeps disks and volumes.', {
          default: 'Running',
        }),
      ),
      imagePullSecrets: Type.Optional(
        mapList(
          pullSecretRef,
          ['name'],
          "Pull secrets for the container images, read from the operator's namespace. Naming one takes the right to get it there.",
          {
            maxItems: bounds.pullSecrets,
          },
        ),
      ),
    },
    { description, ...rules(...topologyRules) },
  );
}

/** Schema of `spec`. */
export const workspaceSpec = workspaceSpecSchema('The machines, containers, volumes and networks of the lab.');

const component = Type.Object(
  {
    kind: text(bounds.nameLength, 'What it is: VirtualMachine, ContainerCluster, Volume, Network or VMDiskImage.'),
    name: text(253, 'Its name in the spec.'),
    phase: oneOf(['Provisioning', 'Failed', 'Ready'], 'Where it is.'),
    message: Type.Optional(text(bounds.messageLength, 'What is going on with it.')),
  },
  { description: 'One part of the workspace.' },
);

/** Schema of `status`. */
export const workspaceStatus = Type.Object(
  {
    ...commonStatus(
      ['Provisioning', 'Failed', 'Ready'],
      'Provisioning: being stood up or repaired. Failed: every remaining problem needs a person. Ready: all parts are usable.',
    ),
    namespace: Type.Optional(text(bounds.nameLength, 'The namespace everything is in: workspace-<name>.')),
    ready: Type.Optional(text(16, 'Parts that are ready, of all parts, such as 5/6.')),
    components: Type.Optional(mapList(component, ['kind', 'name'], 'Every part of the workspace.', { maxItems: 160 })),
  },
  { description: 'What the operator found and did. Written by the operator only.' },
);

/** What a Workspace asks for. */
export type WorkspaceSpec = Static<typeof workspaceSpec>;
/** One machine of a Workspace. */
export type WorkspaceVM = Static<typeof workspaceVm>;
/** One container cluster of a Workspace. */
export type WorkspaceContainerCluster = Static<typeof containerCluster>;
/** One network of a Workspace. */
export type WorkspaceNetwork = Static<typeof network>;
/** One volume of a Workspace. */
export type WorkspaceVolume = Static<typeof volume>;
/** What the operator reports about a Workspace. */
export type WorkspaceStatus = Static<typeof workspaceStatus>;
/** Virtual machines, container clusters and volumes on isolated networks, as one unit with one status. */
export type Workspace = CustomResource<typeof pelotechApiVersion, 'Workspace', WorkspaceSpec, WorkspaceStatus>;
