/**
 * Where everything in a drawing goes. Networks are horizontal rails, machines stand above them in columns, and a line goes down from
 * each machine to the rails it is attached to: no line can cross a label, however large the lab is. What does not fit beside each
 * other goes on the next sheet, which shows only the networks its machines are on.
 */
import type { Topology, TopologyMachine, TopologyNetwork } from './model.ts';
import { nameserversElsewhere } from './summary.ts';
import { type Font, widthOf } from './svg-text.ts';

/** How texts are written. */
export const fonts = {
  title: { family: 'strong', size: 22 },
  summary: { family: 'sans', size: 13 },
  strong: { family: 'strong', size: 14 },
  address: { family: 'mono', size: 11.5 },
  note: { family: 'mono', size: 10.5 },
} as const satisfies Record<string, Font>;

/** Distances in a drawing. */
export const measures = {
  margin: 28,
  titleHeight: 62,
  cardHeight: 62,
  cardGap: 14,
  /** From the edge of a column to its line. */
  lineInset: 18,
  /** From the top of a lane to its rail. */
  railInset: 30,
  noteHeight: 14,
  laneGap: 8,
  sheetGap: 34,
  gatewayWidth: 168,
  footHeight: 34,
} as const;

const widest = 1760;
const columnBounds = { least: 160, most: 330 } as const;
const labelBounds = { least: 190, most: 360 } as const;

/** One network on one sheet. */
export type Lane = {
  readonly network: TopologyNetwork;
  /** Index of the network in the lab, which gives it its colour. */
  readonly index: number;
  readonly top: number;
  readonly height: number;
  /** Lines below the name: empty where an earlier sheet shows them. */
  readonly notes: readonly string[];
  readonly isAttached: boolean;
};

/** One machine on its sheet. */
export type Column = { readonly machine: TopologyMachine; readonly left: number };

/** A row of machines with the networks below it. */
export type Sheet = { readonly top: number; readonly columns: readonly Column[]; readonly lanes: readonly Lane[] };

/** A whole drawing. */
export type Layout = {
  readonly width: number;
  readonly height: number;
  readonly labelWidth: number;
  readonly columnWidth: number;
  /** Where rails begin and end. */
  readonly railLeft: number;
  readonly railRight: number;
  readonly sheets: readonly Sheet[];
};

/** What is written below the place where a machine, or the gateway, meets a network. */
export function marksOf(network: TopologyNetwork, machine: TopologyMachine | 'gateway'): readonly string[] {
  const routes = network.routes
    .filter(({ via }) => (machine === 'gateway' ? via.kind === 'gateway' : via.kind === 'machine' && via.name === machine.name))
    .map(({ destination }) => `→ ${destination}`);
  if (machine === 'gateway') return routes;
  const isNameserver = network.nameservers.some(({ owner }) => owner.kind === 'machine' && owner.name === machine.name);
  return [...(isNameserver ? ['dns'] : []), ...routes];
}

function labelNotes(network: TopologyNetwork, machines: readonly TopologyMachine[]): readonly string[] {
  return [
    ...nameserversElsewhere(network, machines).map((nameserver) => `dns ${nameserver}`),
    ...network.routes
      .filter(({ via }) => via.kind === 'nobody')
      .map(({ destination, nextHop }) => `→ ${destination} by ${nextHop}`),
  ];
}

const clamp = (value: number, { least, most }: { readonly least: number; readonly most: number }): number =>
  Math.min(most, Math.max(least, value));

/** Machines on the same networks next to each other, so that a sheet has few networks; otherwise in the order of the lab. */
function arranged({ networks, machines }: Topology): readonly TopologyMachine[] {
  const place = new Map(networks.map(({ name }, index) => [name, index]));
  const ranked = machines.map((machine, index) => ({
    machine,
    index,
    places: machine.cards.map(({ network }) => place.get(network) ?? networks.length).sort((a, b) => a - b),
  }));
  ranked.sort((a, b) => {
    // Those on no network come last.
    if (a.places.length === 0 || b.places.length === 0) return b.places.length - a.places.length || a.index - b.index;
    const different = a.places.findIndex((at, depth) => at !== b.places[depth]);
    if (different === -1) return a.places.length - b.places.length || a.index - b.index;
    return a.places[different]! - (b.places[different] ?? -1);
  });
  return ranked.map(({ machine }) => machine);
}

/** The place of everything. */
export function layOut(topology: Topology): Layout {
  const { networks, machines } = topology;
  const { margin, lineInset, gatewayWidth } = measures;
  const notes = new Map(networks.map((network) => [network.name, labelNotes(network, machines)]));
  const labelWidth = clamp(
    Math.max(
      0,
      ...networks.flatMap(({ name, cidr }) => [
        widthOf(name, fonts.strong) + widthOf(cidr, fonts.address) + 40,
        ...(notes.get(name) ?? []).map((note) => widthOf(note, fonts.note) + 30),
      ]),
    ),
    labelBounds,
  );
  const columnWidth = clamp(
    Math.max(
      0,
      ...machines.flatMap(({ name, cards }) => [
        widthOf(name, fonts.strong) + 58,
        ...cards.map(({ address = '' }) => widthOf(address, fonts.address) + lineInset + 22),
      ]),
    ),
    columnBounds,
  );
  const railLeft = margin + labelWidth;
  const hasGateways = networks.some(({ gateway }) => gateway !== undefined);
  const rightOfColumns = (hasGateways ? gatewayWidth : 24) + margin;
  const perSheet = Math.max(1, Math.floor((widest - railLeft - rightOfColumns) / columnWidth));
  const ordered = arranged(topology);
  const rows: (readonly TopologyMachine[])[] = [];
  // Rows of nearly the same length look calmer than full ones with a rest.
  const rowCount = Math.max(1, Math.ceil(ordered.length / perSheet));
  const rowLength = Math.ceil(ordered.length / rowCount);
  for (let row = 0; row < rowCount; row++) rows.push(ordered.slice(row * rowLength, (row + 1) * rowLength));
  const titleWidth = Math.max(widthOf(topology.name, fonts.title), 420);
  const railRight = Math.max(railLeft + Math.max(1, rowLength) * columnWidth, margin + titleWidth);
  const sheets = stack(topology, rows, { notes, columnWidth, railLeft });
  const last = sheets.at(-1)?.lanes.at(-1);
  const end = last === undefined ? (sheets.at(-1)?.top ?? 0) + measures.cardHeight : last.top + last.height;
  return {
    width: railRight + rightOfColumns,
    height: end + measures.footHeight + margin,
    labelWidth,
    columnWidth,
    railLeft,
    railRight,
    sheets,
  };
}

type Widths = {
  readonly notes: ReadonlyMap<string, readonly string[]>;
  readonly columnWidth: number;
  readonly railLeft: number;
};

function stack({ networks }: Topology, rows: readonly (readonly TopologyMachine[])[], widths: Widths): readonly Sheet[] {
  const sheets: Sheet[] = [];
  const shown = new Set<string>();
  const used = new Set(rows.flat().flatMap(({ cards }) => cards.map(({ network }) => network)));
  let top: number = measures.margin + measures.titleHeight;
  for (const [row, machines] of rows.entries()) {
    const attached = new Set(machines.flatMap(({ cards }) => cards.map(({ network }) => network)));
    let laneTop = top + (machines.length === 0 ? 0 : measures.cardHeight + measures.cardGap);
    const lanes: Lane[] = [];
    for (const [index, network] of networks.entries()) {
      const isAttached = attached.has(network.name);
      const isLeftOver = row === rows.length - 1 && !used.has(network.name);
      if (!isAttached && !isLeftOver) continue;
      const notes = shown.has(network.name) ? [] : (widths.notes.get(network.name) ?? []);
      shown.add(network.name);
      const marks = Math.max(
        marksOf(network, 'gateway').length,
        ...machines
          .filter(({ cards }) => cards.some((card) => card.network === network.name))
          .map((machine) => marksOf(network, machine).length),
      );
      const height = measures.railInset + 16 + measures.noteHeight * Math.max(marks, notes.length);
      lanes.push({ network, index, top: laneTop, height, notes, isAttached });
      laneTop += height + measures.laneGap;
    }
    const columns = machines.map((machine, column) => ({ machine, left: widths.railLeft + column * widths.columnWidth }));
    sheets.push({ top, columns, lanes });
    top = laneTop - measures.laneGap + measures.sheetGap;
  }
  return sheets;
}
