/** What must hold for machines: their disks, their images and how their readiness is told. */
import { canonicalQuantity } from '#quantity/quantity.ts';
import { shown } from '#validate/problem.ts';
import { type Entry, entryAt, type Lab, textOf } from './lab.ts';
import { broken, type TopologyProblem } from './problem.ts';

const isQuantity = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** The root disk has one size, however it is written. */
export const diskSizes = (lab: Lab): TopologyProblem[] =>
  lab.vms.flatMap((vm) => {
    const size = vm.fields.diskSize;
    const other = entryAt(vm, 'resources').fields.diskSize;
    if (!isQuantity(size) || !isQuantity(other) || canonicalQuantity(size) === canonicalQuantity(other)) return [];
    const rule = `${vm.path}.resources.diskSize is ${shown('', other)}, and both mean the root disk; keep one of them`;
    return [broken(`${vm.path}.diskSize`, size, rule)];
  });

/** A TCP port can be asked only on the pod network, which machines with cards are not on. */
export const readiness = (lab: Lab): TopologyProblem[] =>
  lab.vms.flatMap((vm) => {
    const { path, fields } = entryAt(vm, 'guestReadiness');
    if (fields.mode !== 'TCP') return [];
    const problem = (rule: string): TopologyProblem => broken(`${path}.mode`, 'TCP', rule);
    return [
      ...(fields.port === undefined || fields.port === null
        ? [problem('the port to ask is missing; add guestReadiness.port, or use mode Running or Agent')]
        : []),
      ...(vm.cards.length > 0
        ? [
            problem(
              'only machines on the pod network can be asked, and one with interfaces is not on it; use mode Running or Agent',
            ),
          ]
        : []),
    ];
  });

/** An image is made once, so machines that share one cannot describe it differently. */
export function imageTemplates(lab: Lab): TopologyProblem[] {
  const first = new Map<string, Entry>();
  return lab.vms.flatMap((vm) => {
    const image = textOf(vm.fields.backingVMDiskImage);
    const template = entryAt(vm, 'vmDiskImageTemplate');
    if (image === undefined || Object.keys(template.fields).length === 0) return [];
    const earlier = first.get(image);
    if (earlier === undefined) first.set(image, template);
    return earlier === undefined ? [] : differences(template, earlier, image);
  });
}

const differences = ({ path, fields }: Entry, earlier: Entry, image: string): TopologyProblem[] =>
  [...new Set([...Object.keys(earlier.fields), ...Object.keys(fields)])]
    .filter((name) => canonical(name, fields[name]) !== canonical(name, earlier.fields[name]))
    .map((name) => {
      const there = `${earlier.path}.${name} is ${shown(name, earlier.fields[name] ?? undefined)}`;
      const rule = `${there}, and image ${image} is made once; write the same in both, or give this machine another backingVMDiskImage`;
      return broken(`${path}.${name}`, fields[name] ?? undefined, rule);
    });

/** Equal for values that mean the same: whatever the spelling of the size; a switch that is off is as good as none. */
function canonical(name: string, value: unknown): string {
  if (value === undefined || value === null || value === false) return '';
  return JSON.stringify(name === 'diskSize' && isQuantity(value) ? canonicalQuantity(value) : value) ?? '';
}
