import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from './tree.ts';
import { changesBetween, fitTree, TreeView } from './tree-view.ts';

const node = (what: string, state = '', reason = '', children: readonly TreeNode[] = []): TreeNode => {
  const [kind = '', name = ''] = what.split(' ');
  return { kind, name, state, reason, children };
};
const before = node('Workspace lab', 'Provisioning 1/2', 'waits', [
  node('Network lan', 'Ready', 'is defined', [node('NetworkAttachmentDefinition lan')]),
  node('ContainerCluster web', 'Provisioning', 'is being started', [
    node('Deployment web', '0/1 ready', '', [node('Pod web-1', 'Pending')]),
  ]),
]);
const after = node('Workspace lab', 'Ready 2/2', 'all 2 parts are ready', [
  node('Network lan', 'Ready', 'is defined', [node('NetworkAttachmentDefinition lan')]),
  node('ContainerCluster web', 'Ready', 'runs', [node('Deployment web', '1/1 ready', '', [node('Pod web-2', 'Running')])]),
]);

class Paper {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 40;
  readonly rows = 6;
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): void {
    this.text += text;
  }
}

test('what has changed is told line by line: new, other and gone', () => {
  assert.deepEqual(changesBetween(before, after), [
    'Workspace lab:  Ready 2/2  all 2 parts are ready',
    'ContainerCluster web:  Ready  runs',
    'Deployment web:  1/1 ready',
    'Pod web-2:  Running',
    'Pod web-1:  gone',
  ]);
  assert.deepEqual(changesBetween(after, after), []);
});

test('a tree is fitted into a terminal: what is ready is folded first, then counted, and the rest is cut', () => {
  assert.deepEqual(fitTree(before, 6, 200).length, 6);
  assert.deepEqual(fitTree(before, 5, 60), [
    'Workspace lab            Provisioning 1/2  waits',
    '├─ Network lan           Ready             is defined',
    '└─ ContainerCluster web  Provisioning      is being started',
    '   └─ Deployment web     0/1 ready',
    '      └─ Pod web-1       Pending',
  ]);
  assert.deepEqual(fitTree(after, 2, 60), ['Workspace lab  Ready 2/2  all 2 parts are ready', '… and 2 that are ready']);
  // Names take half of the width, so that the state is still to be seen.
  assert.deepEqual(fitTree(before, 3, 30), [
    'Workspace lab    Provisioning…',
    '└─ ContainerCl…  Provisioning…',
    '… 3 more lines',
  ]);
});

test('a pipe gets the tree once, and then the changes with their time', () => {
  const paper = new Paper(false);
  const view = new TreeView(paper, () => '10:00:00');
  view.show(before);
  const first = paper.text;
  assert.match(first, /^Workspace lab .*\n├─ Network lan/);
  view.show(before);
  view.show(after);
  view.close();
  assert.equal(paper.text.slice(first.length).split('\n')[0], '10:00:00  Workspace lab:  Ready 2/2  all 2 parts are ready');
  assert.ok(!paper.text.includes('\x1b'), 'a pipe gets no commands for terminals');
});

test('a terminal gets each tree in place of the last, and the last one to keep', () => {
  const paper = new Paper(true);
  const view = new TreeView(paper, () => '10:00:00');
  view.show(before);
  view.show(after);
  assert.equal(paper.text.split('\x1b[?1049h').length, 2, 'the other screen is entered once');
  const shown = paper.text.length;
  view.close();
  const left = paper.text.slice(shown);
  assert.ok(left.startsWith('\x1b[?25h\x1b[?1049lWorkspace lab'), left);
  assert.match(left, /all 2 parts are ready\n/);
});
