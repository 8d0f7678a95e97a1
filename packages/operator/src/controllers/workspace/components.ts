/** What is the case with every part of a workspace. Pure. */
import { containerNetworkName } from '@terrain/api';
import { isGoing } from '#controllers/shared/removal.ts';
import { networkType } from '#platform/network.ts';
import { clusterFinding, deploymentOf } from './cluster.ts';
import { awaitedVolumes, isOpen, type Part } from './decide.ts';
import { attachedDefinition } from './desired-network.ts';
import { imageStates } from './image.ts';
import { machineFinding, machineOf } from './machine.ts';
import { pullSecretProblem } from './pull-secret.ts';
import { type ComponentKind, childOf, type Finding, no, type Snapshot, stuck, yes } from './snapshot.ts';
import { volumeFinding } from './volume.ts';

export type Component = { readonly kind: ComponentKind; readonly name: string; readonly finding: Finding };
/** What the API server would not take, by the part it was for. */
export type Blockers = ReadonlyMap<Part, Finding>;

/** The same for all and to the end: each that is told of on its way out would be a write. */
const goes = no('Deleting', 'goes with the workspace');
const stays = no('Deleting', 'is left to the image controller');

export function componentsOf(snapshot: Snapshot, blockers: Blockers): readonly Component[] {
  const { vms = [], containerClusters = [], volumes = [], networks = [] } = snapshot.workspace.spec;
  const images = imageStates(snapshot);
  const awaited = isOpen(snapshot, images) ? undefined : no('Waiting', 'waits for the disk images');
  const component = (kind: ComponentKind, name: string, finding: Finding): Component => ({
    kind,
    name,
    finding: blockers.get(`${kind}/${name}`) ?? finding,
  });
  if (isGoing(snapshot.workspace))
    return [
      ...images.map(({ name }) => component('VMDiskImage', name, stays)),
      ...networks.map(({ name }) => component('Network', name, goes)),
      ...volumes.map(({ name }) => component('Volume', name, goes)),
      ...vms.map(({ name }) => component('VirtualMachine', name, goes)),
      ...containerClusters.map(({ name }) => component('ContainerCluster', name, goes)),
    ];
  return [
    ...images.map(({ name, finding }) => component('VMDiskImage', name, finding)),
    ...networks.map(({ name }) => component('Network', name, networkFinding(snapshot, name))),
    ...volumes.map((volume) => component('Volume', volume.name, volumeFinding(snapshot, volume))),
    ...vms.map((vm) => {
      const machine = machineOf(snapshot, vm);
      const made = machine === undefined ? no('VirtualMachinesNotReady', 'is being made') : machineFinding(machine);
      return component('VirtualMachine', vm.name, awaited ?? made);
    }),
    ...containerClusters.map((cluster) => {
      const deployment = deploymentOf(snapshot, cluster);
      if (deployment !== undefined && awaited === undefined)
        return component('ContainerCluster', cluster.name, clusterFinding(snapshot, cluster, deployment));
      const unheld = pullSecretProblem(snapshot);
      if (unheld !== undefined) return component('ContainerCluster', cluster.name, no('PullSecretMissing', unheld));
      if (awaited !== undefined) return component('ContainerCluster', cluster.name, awaited);
      const missing = awaitedVolumes(snapshot, cluster);
      const waits =
        missing.length > 0 ? no('Waiting', `waits for volume ${missing.join(', ')}`) : no('ContainersNotReady', 'is being made');
      return component('ContainerCluster', cluster.name, waits);
    }),
  ];
}

function networkFinding(snapshot: Snapshot, name: string): Finding {
  const { platform, policy } = snapshot;
  if (!platform.hasNetworks)
    return stuck(
      'NetworkBackendUnavailable',
      'Multus is not installed in this cluster: NetworkAttachmentDefinitions (k8s.cni.cncf.io/v1) are not served; install it, and the workspace goes on by itself',
    );
  if (policy.networkBackend === 'kube-ovn' && !platform.hasKubeOvn)
    return stuck(
      'NetworkBackendUnavailable',
      'networkBackend is kube-ovn, but Subnets (kubeovn.io/v1) are not served; install Kube-OVN, or set another networkBackend in the sync policy',
    );
  const wanted = attachedDefinition(policy, name) === containerNetworkName(name) ? [name, containerNetworkName(name)] : [name];
  const isThere = wanted.every((definition) => {
    const found = childOf(snapshot, networkType, definition);
    return found !== undefined && !isGoing(found);
  });
  return isThere ? yes('Ready', 'is defined') : no('NetworksPending', 'is being made');
}
