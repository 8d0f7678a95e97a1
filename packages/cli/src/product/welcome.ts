import { relative } from 'node:path';
import type { Product } from './start.ts';

/** What a person reads when all is ready: where it is, what is not real, what to try. */
export function welcome({ cluster, options, examples }: Product): string {
  const custom = examples.filter(({ apiVersion }) => /^(pelotech\.ot|workshop\.platform)\//.test(apiVersion));
  const lines = [
    '',
    `Terrain is running on a real Kubernetes at https://127.0.0.1:${cluster.port}`,
    ...(options.real === true ? real(examples.length > 0) : []),
    ...(options.nodes === 'simulated' && options.real !== true
      ? ['  simulated: nodes (by kwok); their pods only seem to run']
      : []),
    ...(options.simulator ? [`  simulated: ${simulated(options.real)} is labelled terrain.dev/simulated`] : []),
    '  not here yet: workshops; their objects are checked and stored, and nothing acts on them',
    '',
    'Things to try in another terminal:',
    ...(custom.length > 0 ? ['  npm run kubectl -- get terrain -A                 what the examples made'] : []),
    '  npm run kubectl -- get vmdi -A -w                 disk images, as they are downloaded',
    '  npm run kubectl -- get otvm -A -o wide            machines, and what they wait for',
    ...(custom.some(({ kind }) => kind === 'Workspace')
      ? ['  npm run terrain -- workspace list                 labs; `workspace tree NAME -w` follows one']
      : []),
    '  npm run kubectl -- explain vmdi.spec              every field, explained',
    '  npm run kubectl -- get datavolumes,vm,vmi -A      what the platform makes of it',
    ...(options.real === true
      ? ['  npm run kubectl -- run -it sh --image=localhost/terrain/shell:1   a shell in a pod of your own']
      : []),
    '  npm run terrain -- status                         what runs and what it costs',
    `  export KUBECONFIG=${displayPath(cluster.kubeconfig)}   to use a kubectl of your own`,
    '',
    'Ctrl-C stops everything; the data is kept.',
    '',
  ];
  return lines.join('\n');
}

const simulated = (isReal: true | undefined): string =>
  isReal === true
    ? 'KubeVirt, so machines only seem to run, on disks that are real; what it makes'
    : 'CDI, KubeVirt and volume snapshots; what they make';

function real(hasExamples: boolean): string[] {
  return [
    '  real: one node, its pods, networks and volumes (storage class terrain-disk); CDI with its imports, snapshots and clones',
    ...(hasExamples
      ? ['  here only: the disks that the examples download, and stand-ins for their containers, since no public host has them']
      : []),
  ];
}

function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : `$PWD/${near}`;
}
