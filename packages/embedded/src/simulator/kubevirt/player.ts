import { playerOf, type Scene } from '../engine/player.ts';
import type { Claim, CloudInit, DataVolume, Instance, InstanceSpec, Machine, Secret, Stored } from '../objects.ts';
import { switchesOf } from '../scenario/switches-of.ts';
import { decideInstance } from './decide-instance.ts';
import { decideMachine } from './decide-machine.ts';
import { claimNamesOf, dataVolumeNamesOf } from './disks.ts';
import type { Disks } from './view.ts';

type Read = Scene['read'];

/** Plays virt-controller for VirtualMachines. */
export const machinePlayer = playerOf<Machine>({
  part: 'kubevirt',
  kind: 'VirtualMachine',
  reads: ['VirtualMachineInstance', 'DataVolume', 'PersistentVolumeClaim'],
  play: (written, { read, scenario, time, refusal }) => {
    const machine = withTemplate(written);
    const { name, namespace } = machine.metadata;
    const found = read.get<Instance>('VirtualMachineInstance', namespace, name);
    const isOurs = found?.metadata.ownerReferences?.some(({ uid }) => uid === machine.metadata.uid) === true;
    const templates = (machine.spec.dataVolumeTemplates ?? []).map(({ metadata }) => metadata.name);
    return decideMachine(
      {
        machine,
        ...(found !== undefined && isOurs ? { instance: found } : {}),
        ...disksOf(namespace, machine.spec.template.spec, templates, read),
        ...(refusal === undefined ? {} : { refusal }),
        scenario,
      },
      time,
    );
  },
});

/** The schema lets the template's spec be left out. */
function withTemplate(machine: Machine): Machine {
  const { template } = machine.spec;
  if (template?.spec !== undefined) return machine;
  return { ...machine, spec: { ...machine.spec, template: { ...template, spec: {} } } };
}

/** Plays virt-controller, the launcher pod and the guest for VirtualMachineInstances. */
export const instancePlayer = playerOf<Instance>({
  part: 'kubevirt',
  kind: 'VirtualMachineInstance',
  reads: ['VirtualMachine', 'DataVolume', 'PersistentVolumeClaim', 'Secret', 'ConfigMap', 'NetworkAttachmentDefinition'],
  play: (instance, { read, scenario, time }) => {
    const { namespace, ownerReferences } = instance.metadata;
    const owner = ownerReferences?.find(({ kind }) => kind === 'VirtualMachine');
    const found = owner && read.get<Machine>('VirtualMachine', namespace, owner.name);
    const machine = found?.metadata.uid === owner?.uid ? found : undefined;
    const networkData = networkDataOf(namespace, instance.spec, read);
    return decideInstance(
      {
        instance,
        ...(machine === undefined ? {} : { machine }),
        ...disksOf(namespace, instance.spec, [], read),
        missing: missingOf(namespace, instance.spec, read),
        ...(networkData === undefined ? {} : { networkData }),
        // People annotate the machine they made; the instance is made for them.
        switches: switchesOf(scenario, machine ?? instance).switches,
        scenario,
      },
      time,
    );
  },
});

function disksOf(namespace: string | undefined, spec: InstanceSpec, more: readonly string[], read: Read): Disks {
  const known = <T extends Stored>(
    kind: 'DataVolume' | 'PersistentVolumeClaim',
    names: readonly string[],
  ): ReadonlyMap<string, T> => {
    const found = new Map<string, T>();
    for (const name of names) {
      const object = read.get<T>(kind, namespace, name);
      if (object !== undefined) found.set(name, object);
    }
    return found;
  };
  return {
    dataVolumes: known<DataVolume>('DataVolume', [...dataVolumeNamesOf(spec), ...more]),
    claims: known<Claim>('PersistentVolumeClaim', claimNamesOf(spec)),
  };
}

function cloudInits(spec: InstanceSpec): readonly CloudInit[] {
  return (spec.volumes ?? []).flatMap((volume) => volume.cloudInitNoCloud ?? volume.cloudInitConfigDrive ?? []);
}

function missingOf(namespace: string | undefined, spec: InstanceSpec, read: Read): readonly string[] {
  const secrets = [
    ...cloudInits(spec).flatMap(({ secretRef, networkDataSecretRef }) =>
      [secretRef?.name ?? [], networkDataSecretRef?.name ?? []].flat(),
    ),
    ...(spec.volumes ?? []).flatMap(({ secret }) => (secret?.optional === true ? [] : (secret?.secretName ?? []))),
  ];
  const maps = (spec.volumes ?? []).flatMap(({ configMap }) => (configMap?.optional === true ? [] : (configMap?.name ?? [])));
  const networks = (spec.networks ?? []).flatMap(({ multus }) => multus?.networkName ?? []);
  return [
    ...secrets.filter((name) => read.get('Secret', namespace, name) === undefined).map((name) => `Secret ${name}`),
    ...maps.filter((name) => read.get('ConfigMap', namespace, name) === undefined).map((name) => `ConfigMap ${name}`),
    ...networks.filter((network) => !hasNetwork(namespace, network, read)).map((name) => `NetworkAttachmentDefinition ${name}`),
  ];
}

/** `name` or `namespace/name`. */
function hasNetwork(namespace: string | undefined, network: string, read: Read): boolean {
  const [first = '', second] = network.split('/');
  return read.get('NetworkAttachmentDefinition', second === undefined ? namespace : first, second ?? first) !== undefined;
}

function networkDataOf(namespace: string | undefined, spec: InstanceSpec, read: Read): string | undefined {
  for (const { networkDataSecretRef, networkData } of cloudInits(spec)) {
    if (networkData !== undefined) return networkData;
    const data = networkDataSecretRef && read.get<Secret>('Secret', namespace, networkDataSecretRef.name)?.data;
    const text = data?.networkdata ?? data?.networkData;
    if (text !== undefined) return Buffer.from(text, 'base64').toString('utf8');
  }
  return undefined;
}
