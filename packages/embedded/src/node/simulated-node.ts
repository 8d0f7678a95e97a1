import type { KubeObject } from '@terrain/runtime';
import { stringify } from 'yaml';
import { simulatedLabels } from '#simulator/marks.ts';

/** kwok takes care of nodes with this annotation and of no others. */
const nodeAnnotation = { 'kwok.x-k8s.io/node': 'fake' } as const;

/** The user kwok acts as. */
export const nodeUser = 'terrain-kwok';

const capacity = { cpu: '32', memory: '128Gi', 'ephemeral-storage': '1Ti', pods: '250' };

/** A node that exists in the API only. Not tainted: in a cluster with simulated nodes all pods run there. */
export function simulatedNode(number: number): KubeObject {
  const name = simulatedNodeName(number);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': process.arch === 'arm64' ? 'arm64' : 'amd64',
        ...simulatedLabels,
      },
      annotations: nodeAnnotation,
    },
    status: { capacity, allocatable: capacity },
  } as KubeObject;
}

export function simulatedNodeName(number: number): string {
  return `simulated-${number}`;
}

/** kwok's configuration: what happens to nodes and pods, as one file of several documents. */
export function stageFile(stages: readonly KubeObject[]): string {
  return stages.map((stage) => stringify(stage)).join('---\n');
}

/** Gives kwok's user the rights that its authors list. */
export function nodeRights(role: KubeObject): readonly KubeObject[] {
  const roleName = role.metadata.name ?? '';
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: roleName },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: nodeUser }],
  };
  return [role, binding];
}

/** No port is opened: what a kubelet would serve (logs, terminals) does not exist on a simulated node. */
export function kwokArguments({ kubeconfig, stages }: { readonly kubeconfig: string; readonly stages: string }): string[] {
  const [key, value] = Object.entries(nodeAnnotation)[0]!;
  return [
    `--kubeconfig=${kubeconfig}`,
    `--config=${stages}`,
    `--manage-nodes-with-annotation-selector=${key}=${value}`,
    '--node-lease-duration-seconds=40',
    '--node-ip=127.0.0.1',
  ];
}
