/** A lab for a terminal: network by network, who is on it, and where its routes lead. */
import type { AddressOwner, Topology, TopologyMachine, TopologyNetwork } from './model.ts';
import { nameserversElsewhere, summaryOf } from './summary.ts';

type Row = { readonly cells: readonly string[]; readonly notes: readonly string[] };

const kindWords = { VirtualMachine: 'VM', ContainerCluster: 'containers', DeployRunner: 'runner' } as const;

/**
 * The drawing as lines of text, each ending in a line break.
 * Guarantees: no control characters, whatever the names hold; the same lab gives the same text.
 */
export function drawText(topology: Topology): string {
  const { name, networks, machines } = topology;
  const blocks = networks.map((network) => blockOf(network, machines));
  const alone = machines.filter(({ cards }) => cards.length === 0);
  const lines = [
    `${name}: ${summaryOf(topology)}`,
    ...blocks.flatMap((block) => ['', ...block]),
    ...(alone.length === 0 ? [] : ['', 'on no network of the lab', ...branches(alone.map((one) => rowOf(one, '', [])))]),
  ];
  return lines.map((line) => `${line.replaceAll(/\p{C}/gu, '').trimEnd()}\n`).join('');
}

function blockOf(network: TopologyNetwork, machines: readonly TopologyMachine[]): string[] {
  const elsewhere = nameserversElsewhere(network, machines);
  const head = [
    network.name,
    network.cidr,
    ...(elsewhere.length === 0 ? [] : [`dns ${elsewhere.join(', ')}`]),
    ...stateWords(network.state),
  ].join('  ');
  const members = machines.flatMap((machine) => {
    const card = machine.cards.find((one) => one.network === network.name);
    return card === undefined ? [] : [rowOf(machine, card.address ?? 'no address', notesOf(network, machine))];
  });
  const gateway: Row[] =
    network.gateway === undefined
      ? []
      : [{ cells: ['gateway', network.gateway, 'way out'], notes: routesVia(network, (via) => via.kind === 'gateway') }];
  const lost: Row[] = network.routes
    .filter(({ via }) => via.kind === 'nobody')
    .map(({ destination, nextHop }) => ({ cells: ['(nobody)', nextHop, ''], notes: [`→ ${destination}`] }));
  const rows = [...members, ...gateway, ...lost];
  return [head, ...(rows.length === 0 ? ['└─ (nothing attached)'] : branches(rows))];
}

function notesOf(network: TopologyNetwork, { name, cards }: TopologyMachine): readonly string[] {
  const others = cards.map((card) => card.network).filter((other) => other !== network.name);
  const isNameserver = network.nameservers.some(({ owner }) => owner.kind === 'machine' && owner.name === name);
  return [
    ...routesVia(network, (via) => via.kind === 'machine' && via.name === name),
    ...(isNameserver ? ['dns'] : []),
    ...(others.length === 0 ? [] : [`also on ${others.join(', ')}`]),
  ];
}

const routesVia = ({ routes }: TopologyNetwork, isVia: (via: AddressOwner) => boolean): readonly string[] =>
  routes.filter(({ via }) => isVia(via)).map(({ destination }) => `→ ${destination}`);

function rowOf({ kind, name, isStopped, ports, state }: TopologyMachine, address: string, notes: readonly string[]): Row {
  return {
    cells: [name, address, kindWords[kind]],
    notes: [
      ...(isStopped ? ['stopped'] : []),
      ...(ports.length === 0 ? [] : [`ports ${ports.join(' ')}`]),
      ...notes,
      ...stateWords(state),
    ],
  };
}

const stateWords = (state: TopologyNetwork['state']): readonly string[] =>
  state === undefined ? [] : [state.message === '' ? state.phase : `${state.phase}: ${state.message}`];

function branches(rows: readonly Row[]): string[] {
  const widths: number[] = [];
  for (const { cells } of rows)
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map(({ cells, notes }, index) => {
    const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    return `${index === rows.length - 1 ? '└─' : '├─'} ${padded}  ${notes.join('; ')}`;
  });
}
