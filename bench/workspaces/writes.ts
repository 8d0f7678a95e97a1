import type { Writes } from '../vms/writes.ts';

/**
 * Writes of objects that only the operator makes or changes while labs stand up. The simulator makes the claims of DataVolumes, KubeVirt's
 * instances, and writes status by patch; the controllers of Kubernetes write by PUT; the bench makes the workspaces themselves.
 */
const ofObjects = new Set(
  [
    'namespaces',
    'secrets',
    'services',
    'networking.k8s.io networkpolicies',
    'k8s.cni.cncf.io network-attachment-definitions',
    'apps deployments',
    'batch jobs',
    'persistentvolumeclaims',
    'pelotech.ot virtualmachines',
    'cdi.kubevirt.io datavolumes',
    'kubevirt.io virtualmachines',
  ].flatMap((what) => ['POST', 'APPLY'].map((verb) => `${verb} ${what.includes(' ') ? what : ` ${what}`}`)),
);

const ofStatus = /^APPLY pelotech\.ot \w+\/status$/;
const others = new Set(['POST events.k8s.io events', 'PATCH events.k8s.io events', 'PATCH pelotech.ot workspaces']);

export interface LabWrites {
  /** Accepted writes of children, and of what machines are made of. */
  readonly children: number;
  readonly status: number;
  readonly others: number;
}

/** The operator's writes between two moments. */
export function labWritesBetween(before: Writes, after: Writes): LabWrites {
  const grown = (key: string): number => (after.get(key) ?? 0) - (before.get(key) ?? 0);
  const sum = (isCounted: (key: string) => boolean): number =>
    [...after.keys()].filter(isCounted).reduce((all, key) => all + grown(key), 0);
  // Each DataVolume gets a claim from the simulator.
  const simulated = grown('POST cdi.kubevirt.io datavolumes');
  return {
    children: sum((key) => ofObjects.has(key)) - simulated,
    status: sum((key) => ofStatus.test(key)),
    others: sum((key) => others.has(key)),
  };
}
