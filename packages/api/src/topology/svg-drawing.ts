/** A lab as a picture. */
import { type Column, fonts, type Lane, type Layout, layOut, marksOf, measures, type Sheet } from './layout.ts';
import type { PartState, Topology, TopologyMachine } from './model.ts';
import { summaryOf } from './summary.ts';
import { railColours, styleSheet } from './svg-style.ts';
import { escapeXml, type Font, fitted, widthOf } from './svg-text.ts';

type TextOptions = { readonly font: Font; readonly tone?: string; readonly width?: number };

function text(x: number, y: number, words: string, { font, tone = 'text', width }: TextOptions): string {
  const shown = width === undefined ? words : fitted(words, width, font);
  const classes = [tone, ...(font.family === 'mono' ? ['mono'] : []), ...(font.family === 'strong' ? ['strong'] : [])].join(' ');
  const whole = shown === words ? '' : `<title>${escapeXml(words)}</title>`;
  return `<text x="${x}" y="${y}" class="${classes}" font-size="${font.size}">${whole}${escapeXml(shown)}</text>`;
}

const line = (x1: number, y1: number, x2: number, y2: number, rest: string): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${rest}/>`;

const railY = ({ top }: Lane): number => top + measures.railInset;
const lineX = ({ left }: Column): number => left + measures.lineInset;
const colour = ({ index }: Lane): number => index % railColours;

/** Small pictures of what a machine is, 16 wide. */
const icons: Readonly<Record<TopologyMachine['kind'], string>> = {
  VirtualMachine: '<rect x="0" y="1" width="16" height="11" rx="1.5"/><path d="M5 15h6M8 12v3"/>',
  ContainerCluster: '<path d="M8 0.5l7 3.5v8l-7 3.5-7-3.5v-8zM1 4l7 3.5 7-3.5M8 7.5v8"/>',
  DeployRunner: '<circle cx="8" cy="8" r="7.2"/><path d="M6.2 4.8l5 3.2-5 3.2z"/>',
};

function stateDot(x: number, y: number, state: PartState | undefined): string {
  if (state === undefined) return '';
  const words = state.message === '' ? state.phase : `${state.phase}: ${state.message}`;
  return `<circle cx="${x}" cy="${y}" r="5" class="${state.phase.toLowerCase()}"><title>${escapeXml(words)}</title></circle>`;
}

function card({ machine, left }: Column, top: number, columnWidth: number): string {
  const { name, kind, detail, isStopped, ports, cards, state } = machine;
  const width = columnWidth - 12;
  const textWidth = width - 34 - (state === undefined ? 8 : 22);
  const about = [isStopped ? 'stopped' : '', detail].filter((words) => words !== '').join(' · ');
  const second = cards.length === 0 ? 'on no network of the lab' : ports.join(' ');
  const dashes = isStopped ? ' stroke-dasharray="4 3"' : '';
  return [
    `<g><title>${escapeXml([`${kind} ${name}`, about, second].filter((words) => words !== '').join('\n'))}</title>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${measures.cardHeight}" rx="8" class="card"${dashes}/>`,
    `<g class="icon" fill="none" stroke-width="1.3" transform="translate(${left + 10} ${top + 10})">${icons[kind]}</g>`,
    text(left + 34, top + 23, name, { font: fonts.strong, width: textWidth }),
    text(left + 10, top + 40, about, { font: fonts.note, tone: 'faint', width: width - 16 }),
    text(left + 10, top + 54, second, { font: fonts.note, tone: 'faint', width: width - 16 }),
    stateDot(left + width - 13, top + 18, state),
    '</g>',
  ].join('');
}

/** The line of a machine: from its card down to the last network it is on. Rails are drawn over it, dots over both. */
function descent(column: Column, { top, lanes }: Sheet): string {
  const last = lanes.findLast(({ network }) => column.machine.cards.some((one) => one.network === network.name));
  if (last === undefined) return '';
  const x = lineX(column);
  return line(x, top + measures.cardHeight, x, railY(last), 'class="line" stroke-width="1.6"');
}

function label(lane: Lane, { labelWidth }: Layout): string {
  const { network, notes } = lane;
  const left = measures.margin + 18;
  const y = railY(lane);
  const room = labelWidth - 36;
  const name = fitted(network.name, Math.max(room / 2, room - widthOf(network.cidr, fonts.address)), fonts.strong);
  const cidr = fitted(network.cidr, room - widthOf(name, fonts.strong), fonts.address);
  // One text, so that the range follows the name however wide the reader's font makes it.
  const words = [
    `<tspan class="f${colour(lane)} strong" font-size="${fonts.strong.size}">${escapeXml(name)}</tspan>`,
    `<tspan class="${network.isDefined ? 'text' : 'wrong-text'} mono" font-size="${fonts.address.size}" dx="9">${escapeXml(cidr)}</tspan>`,
  ];
  return [
    stateDot(measures.margin + 9, y - 5, network.state),
    `<text x="${left}" y="${y}"><title>${escapeXml(`${network.name} ${network.cidr}`)}</title>${words.join('')}</text>`,
    ...notes.map((note, index) =>
      text(left, y + 18 + index * measures.noteHeight, note, { font: fonts.note, tone: 'faint', width: labelWidth - 26 }),
    ),
  ].join('');
}

/** A rail parts the lines that only pass it, so that a crossing does not look like a connection. */
function rail(lane: Lane, { columns, lanes }: Sheet, { railLeft, railRight }: Layout): string {
  const y = railY(lane);
  const right = lane.network.gateway === undefined ? railRight - 12 : railRight + 4;
  const passing = columns.filter(({ machine }) => {
    const isOn = (at: Lane): boolean => machine.cards.some(({ network }) => network === at.network.name);
    return !isOn(lane) && lanes.some((other) => other.top > lane.top && isOn(other));
  });
  const look = lane.isAttached ? '' : ' stroke-dasharray="2 6"';
  const classes = lane.network.isDefined ? `n${colour(lane)}` : 'wrong';
  return [
    ...passing.map((column) => line(lineX(column), y - 6, lineX(column), y + 6, 'class="gap" stroke-width="5"')),
    line(railLeft, y, right, y, `class="${classes}" stroke-width="3" stroke-linecap="round"${look}`),
    ...(lane.isAttached ? [] : [text(railLeft + 14, y - 9, 'nothing attached', { font: fonts.note, tone: 'faint' })]),
  ].join('');
}

function marks(x: number, y: number, words: readonly string[], lane: Lane, width: number): string {
  return words
    .map((word, index) =>
      text(x, y + 16 + index * measures.noteHeight, word, { font: fonts.note, tone: `f${colour(lane)}`, width }),
    )
    .join('');
}

function attachments(lane: Lane, { columns }: Sheet, { columnWidth }: Layout): string {
  const y = railY(lane);
  const width = columnWidth - measures.lineInset - 16;
  return columns
    .flatMap((column) => {
      const on = column.machine.cards.find(({ network }) => network === lane.network.name);
      if (on === undefined) return [];
      const x = lineX(column);
      const address = on.address ?? 'no address';
      return [
        `<circle cx="${x}" cy="${y}" r="5.5" class="dot f${colour(lane)}" stroke-width="2"/>`,
        text(x + 10, y - 8, address, { font: fonts.address, tone: on.address === undefined ? 'faint' : 'text', width }),
        marks(x + 10, y, marksOf(lane.network, column.machine), lane, width),
      ];
    })
    .join('');
}

function gateway(lane: Lane, { railRight }: Layout): string {
  const address = lane.network.gateway;
  if (address === undefined) return '';
  const y = railY(lane);
  const x = railRight + 6;
  const width = measures.gatewayWidth - 14;
  return [
    `<g><title>${escapeXml(`rangeGateway ${address}`)}</title>`,
    `<rect x="${x}" y="${y - 17}" width="${width}" height="22" rx="11" class="card n${colour(lane)}" stroke-width="1.6"/>`,
    text(x + 12, y - 2, `⇥ ${address}`, { font: fonts.address, width: width - 20 }),
    marks(x + 12, y + 4, marksOf(lane.network, 'gateway'), lane, width - 20),
    '</g>',
  ].join('');
}

function sheetOf(sheet: Sheet, layout: Layout): string {
  const { margin } = measures;
  const { lanes, columns, top } = sheet;
  return [
    ...lanes.map(
      ({ top: y, height }) =>
        `<rect x="${margin}" y="${y}" width="${layout.width - 2 * margin}" height="${height}" rx="8" class="lane"/>`,
    ),
    ...columns.map((column) => descent(column, sheet)),
    ...lanes.map((lane) => rail(lane, sheet, layout)),
    ...lanes.map((lane) => label(lane, layout)),
    ...lanes.map((lane) => attachments(lane, sheet, layout)),
    ...lanes.map((lane) => gateway(lane, layout)),
    ...columns.map((column) => card(column, top, layout.columnWidth)),
  ].join('\n');
}

const legend = '● attached · → network: routed over this address · ⇥ rangeGateway · dashed: stopped, or nothing attached';

/**
 * The drawing as an SVG document, for a file or inside a page; light or dark as the reader's system is.
 * Guarantees: every text is escaped; no script and no reference to anything outside; the same lab gives the same bytes.
 */
export function drawSvg(topology: Topology): string {
  const layout = layOut(topology);
  const { width, height } = layout;
  const { margin } = measures;
  const title = `Workspace ${topology.name}`;
  const summary = summaryOf(topology);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="terrain" role="img">`,
    `<title>${escapeXml(title)}</title><desc>${escapeXml(summary)}</desc>`,
    `<style>${styleSheet}</style>`,
    `<rect width="${width}" height="${height}" class="page"/>`,
    text(margin, margin + 20, topology.name, { font: fonts.title, width: width - 2 * margin }),
    text(margin, margin + 41, summary, { font: fonts.summary, tone: 'faint', width: width - 2 * margin }),
    ...layout.sheets.map((sheet) => sheetOf(sheet, layout)),
    text(margin, height - margin + 6, legend, { font: fonts.note, tone: 'faint', width: width - 2 * margin }),
    '</svg>',
    '',
  ].join('\n');
}
