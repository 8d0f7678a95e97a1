import { createHash } from 'node:crypto';
import { controllerReference, type Manifest } from '../engine/decision.ts';
import { notes, simulatedLabels } from '../marks.ts';
import type { DataVolumeTemplate, InstanceSpec, Machine } from '../objects.ts';
import { instanceFinalizer, machineFinalizer } from './instance.ts';

/** Fields KubeVirt changes in a running machine without a restart. */
const liveFields = ['nodeSelector', 'affinity', 'tolerations'];

export function desiredInstance(machine: Machine): Manifest {
  const { name, namespace, generation } = machine.metadata;
  const { template } = machine.spec;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, ...simulatedLabels },
      annotations: {
        ...template.metadata?.annotations,
        'kubevirt.io/vm-generation': String(generation ?? 1),
        [notes.template]: templateHash(template.spec),
        [notes.memory]: memoryHash(template.spec),
      },
      finalizers: [instanceFinalizer, machineFinalizer],
      ownerReferences: [controllerReference('VirtualMachine', machine)],
    },
    spec: template.spec,
  };
}

export function desiredDataVolume(machine: Machine, { metadata, spec }: DataVolumeTemplate): Manifest {
  const { namespace, uid } = machine.metadata;
  return {
    metadata: {
      name: metadata.name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata.labels, 'kubevirt.io/created-by': uid, ...simulatedLabels },
      annotations: { ...metadata.annotations, 'cdi.kubevirt.io/allowClaimAdoption': 'true' },
      ownerReferences: [controllerReference('VirtualMachine', machine)],
    },
    spec,
  };
}

/** Differs when a restart would be needed to take the change over, the guest's memory aside. */
export function templateHash(spec: InstanceSpec): string {
  const { domain, ...rest } = spec;
  const kept = Object.fromEntries(Object.entries(rest).filter(([field]) => !liveFields.includes(field)));
  return hash({ ...kept, domain: { ...domain, memory: undefined } });
}

export function memoryHash(spec: InstanceSpec): string {
  return hash(spec.domain?.memory ?? {});
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex').slice(0, 16);
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
