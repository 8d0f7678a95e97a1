/** A tree that changes, for terminals and for logs. */
import type { Output } from '../output/progress.ts';
import { cut, type TreeNode, treeLines } from './tree.ts';

/** One line of a tree, by where it stands. */
interface Line {
  readonly what: string;
  readonly state: string;
  readonly reason: string;
}

function linesOf(node: TreeNode, path = '', found = new Map<string, Line>()): ReadonlyMap<string, Line> {
  const what = `${node.kind} ${node.name}`;
  const id = `${path}/${what}`;
  found.set(id, { what, state: node.state, reason: node.reason });
  for (const child of node.children) linesOf(child, id, found);
  return found;
}

const said = ({ what, state, reason }: Line): string => [`${what}:`, state, reason].filter((word) => word !== '').join('  ');

/** What is another than before, a line each: new and changed objects with their state, and those that are gone. */
export function changesBetween(before: TreeNode, after: TreeNode): readonly string[] {
  const [then, now] = [linesOf(before), linesOf(after)];
  const isSame = (one: Line, other: Line | undefined): boolean => one.state === other?.state && one.reason === other.reason;
  return [
    ...[...now].filter(([id, line]) => !isSame(line, then.get(id))).map(([, line]) => said(line)),
    ...[...then].filter(([id]) => !now.has(id)).map(([, { what }]) => `${what}:  gone`),
  ];
}

/** A part all of whose objects are as they should be takes one line when there is no room for more. */
const folded = (root: TreeNode): TreeNode => ({
  ...root,
  children: root.children.map((part) => (part.state === 'Ready' ? { ...part, children: [] } : part)),
});

/** Only what is not ready; the others are counted. */
function unready(root: TreeNode, widest: number): readonly string[] {
  const children = root.children.filter(({ state }) => state !== 'Ready');
  const others = root.children.length - children.length;
  return [...treeLines({ ...root, children }, widest), ...(others === 0 ? [] : [`… and ${others} that are ready`])];
}

/**
 * The tree within a height and a width: parts that are ready are folded, then counted; what is too long even then is cut. Names take at most half of
 * the width: what is the matter is told on the other half.
 */
export function fitTree(root: TreeNode, rows: number, columns: number): readonly string[] {
  const widest = Math.floor(columns / 2);
  const forms = [() => treeLines(root, widest), () => treeLines(folded(root), widest), () => unready(root, widest)];
  let lines: readonly string[] = [];
  for (const form of forms) {
    lines = form();
    if (lines.length <= rows) break;
  }
  const shown = lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${lines.length - rows + 1} more lines`];
  return shown.map((line) => cut(line, columns));
}

export interface Screen extends Output {
  readonly rows?: number;
}

/**
 * Shows a tree on a terminal, in its place, and leaves the last one behind; in a pipe the whole tree comes once, and then a line for
 * every change.
 */
export class TreeView {
  readonly #output: Screen;
  readonly #time: () => string;
  #shown: TreeNode | undefined;

  constructor(output: Screen, time: () => string) {
    this.#output = output;
    this.#time = time;
  }

  show(tree: TreeNode): void {
    const before = this.#shown;
    this.#shown = tree;
    if (this.#output.isTTY === true) this.#paint(tree, before === undefined);
    else if (before === undefined) this.#print(treeLines(tree));
    else this.#print(changesBetween(before, tree).map((line) => `${this.#time()}  ${line}`));
  }

  /** To be called when the terminal has another size. */
  resized(): void {
    if (this.#output.isTTY === true && this.#shown !== undefined) this.#paint(this.#shown, false);
  }

  /** Gives the terminal back. */
  close(): void {
    if (this.#output.isTTY !== true || this.#shown === undefined) return;
    this.#output.write(leaveScreen);
    this.#print(treeLines(this.#shown));
  }

  #paint(tree: TreeNode, isFirst: boolean): void {
    const { rows = 24, columns = 80 } = this.#output;
    const lines = fitTree(tree, rows - 1, columns);
    this.#output.write(
      `${isFirst ? enterScreen : ''}${home}${lines.map((line) => `${line}${clearLine}\n`).join('')}${clearBelow}`,
    );
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#output.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** The screen beside the one with what was typed before, as pagers use it. */
const enterScreen = '\x1b[?1049h\x1b[?25l';
const leaveScreen = '\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';
