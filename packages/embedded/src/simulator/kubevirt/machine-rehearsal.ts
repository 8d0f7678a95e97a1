/** A rehearsal with one KubeVirt machine on the stage, and what tests ask of it. */
import type { Instance, Machine, MachineCondition } from '../objects.ts';
import { Rehearsal } from '../rehearsal.ts';
import type { Scenario } from '../scenario/scenario.ts';

export type Json = Record<string, unknown>;

interface Given {
  readonly switches?: string;
  readonly spec?: Json;
  readonly template?: Json;
  readonly scenario?: Partial<Scenario>;
}

/** A machine `vm` with no disks, unless the template says otherwise. */
export function stage({ switches, spec, template, scenario }: Given = {}): Rehearsal {
  const rehearsal = new Rehearsal(scenario);
  rehearsal.create('StorageClass', { metadata: { name: 'fast' }, provisioner: 'simulated.terrain.dev' });
  rehearsal.create('CSIDriver', { metadata: { name: 'simulated.terrain.dev' } });
  rehearsal.create('VirtualMachine', {
    metadata: { name: 'vm', ...(switches === undefined ? {} : { annotations: { 'terrain.dev/sim': switches } }) },
    spec: {
      runStrategy: 'Always',
      ...spec,
      template: { spec: { domain: { memory: { guest: '1Gi' }, devices: {} }, ...template } },
    },
    // The schema's default, before the controller has looked.
    status: { printableStatus: 'Stopped' },
  });
  return rehearsal;
}

/** Sets the machine's switches as a person would, or takes them away. */
export function flip(rehearsal: Rehearsal, switches: string | null): void {
  rehearsal.patch('VirtualMachine', 'vm', { metadata: { annotations: { 'terrain.dev/sim': switches } } });
}

export const seconds = (value: number): number => value * 1000;
export const machine = (rehearsal: Rehearsal): Machine => rehearsal.find<Machine>('VirtualMachine', 'vm')!;
export const instance = (rehearsal: Rehearsal): Instance | undefined => rehearsal.find<Instance>('VirtualMachineInstance', 'vm');

/** The printable statuses the machine went through. */
export const printed = (rehearsal: Rehearsal): readonly string[] =>
  rehearsal
    .sequence('VirtualMachine', 'vm', (object) => (object as unknown as Machine).status?.printableStatus ?? '')
    .map(({ value }) => value);

/** The phases its instances went through. */
export const instancePhases = (rehearsal: Rehearsal): readonly string[] =>
  rehearsal
    .sequence('VirtualMachineInstance', 'vm', (object) => (object as unknown as Instance).status?.phase ?? '')
    .map(({ value }) => value);

export const condition = (object: Machine | Instance | undefined, type: string): MachineCondition | undefined =>
  object?.status?.conditions?.find((one) => one.type === type);

/** A condition as `status reason`, or nothing. */
export function verdict(object: Machine | Instance | undefined, type: string): string {
  const found = condition(object, type);
  return found === undefined ? '' : `${found.status} ${found.reason ?? ''}`.trimEnd();
}

/** Volumes of a machine whose root disk is this DataVolume. */
export const disk = (name: string): Json => ({ volumes: [{ name: 'root', dataVolume: { name } }] });

/** Spec of a DataVolume that downloads. */
export const image = (url: string): Json => ({
  source: { http: { url } },
  storage: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
});
