import { join } from 'node:path';

/** Where things of a real node are. What must survive is in the cluster's home, what a reboot of the machine takes away is below /run. */
export interface NodeLayout {
  readonly name: string;
  readonly home: string;
  /** Everything of the node inside the home. */
  readonly directory: string;
  readonly kubelet: string;
  readonly podLogs: string;
  readonly images: string;
  readonly containerdRoot: string;
  readonly cni: { readonly plugins: string; readonly config: string; readonly data: string; readonly multus: string };
  readonly logs: string;
  readonly pki: string;
  readonly run: string;
  readonly containerdState: string;
  readonly containerdSocket: string;
}

/** Short, since the path of a socket may have at most 107 bytes; one, since a machine has only one set of links and tables. */
export const runDirectory = '/run/terrain';

export function nodeLayout(home: string, name: string, run = runDirectory): NodeLayout {
  const directory = join(home, 'node');
  const below = (...parts: string[]) => join(directory, ...parts);
  return {
    name,
    home,
    directory,
    kubelet: below('kubelet'),
    podLogs: below('pod-logs'),
    images: below('images'),
    containerdRoot: below('containerd'),
    cni: {
      plugins: below('cni', 'bin'),
      config: below('cni', 'conf'),
      data: below('cni', 'data'),
      multus: below('cni', 'multus'),
    },
    logs: join(home, 'logs'),
    pki: join(home, 'pki'),
    run,
    containerdState: join(run, 'containerd'),
    containerdSocket: join(run, 'containerd.sock'),
  };
}
