/** What must hold for every page, checked on the real definitions. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { kinds } from '#kinds.ts';
import { type Node, schemaOf } from '#schema/node.ts';
import { referenceFiles } from './files.ts';
import { anchor, cell } from './markdown.ts';
import { onOtherPages, pageName } from './page.ts';
import { objectSections, rulesBelow } from './walk.ts';

const root = join(import.meta.dirname, '../../../..');
const pages = new Map([...referenceFiles()].map(([path, content]) => [path.replace('docs/reference/', ''), content]));
const page = (name: string): string => pages.get(name) ?? assert.fail(`there is no page ${name}`);
const headings = (content: string): string[] => [...content.matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
const withoutCode = (content: string): string => content.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

test('the pages checked in are what the definitions say (else: npm run generate)', () => {
  for (const [path, content] of referenceFiles()) assert.equal(readFileSync(join(root, path), 'utf8'), content, path);
});

test('the pages are the same every time', () => {
  assert.deepEqual([...referenceFiles()], [...referenceFiles()]);
});

test('the first page leads to every kind', () => {
  for (const kind of kinds) assert.ok(page('README.md').includes(`](${pageName(kind)})`), kind.kind);
});

for (const kind of kinds) {
  const content = page(pageName(kind));

  test(`the page of ${kind.kind} has every field of its schema, and its description`, () => {
    const elsewhere = onOtherPages(kind, kinds);
    for (const part of ['spec', 'status'] as const) {
      const sections = objectSections(schemaOf(kind, part), part, (node, path) => elsewhere(node, path) !== undefined);
      assert.ok(sections.length > 0);
      for (const { fields } of sections) {
        for (const { name, node } of fields) {
          const row = content
            .split('\n')
            .find((line) => line.startsWith(`| \`${name}\` |`) && line.includes(cell(node.description!)));
          assert.ok(row, `${kind.kind}: ${part} has no row for ${name}`);
        }
      }
    }
  });

  test(`the page of ${kind.kind} has every rule, condition, reason and column`, () => {
    const elsewhere = onOtherPages(kind, kinds);
    const rules = rulesBelow(schemaOf(kind, 'spec'), 'spec', (node: Node, path) => elsewhere(node, path) !== undefined);
    const sentences = [
      ...[...kind.rules, ...rules].map(({ message }) => message),
      ...kind.conditions.map(({ description }) => description),
      ...kind.reasons.flatMap(({ description, whatToDo }) => [description, whatToDo]),
      ...kind.printerColumns.map(({ description }) => description),
    ];
    for (const sentence of sentences) assert.ok(content.includes(cell(sentence)), sentence);
    const words = [...kind.conditions, ...kind.reasons].map(({ name }) => `| \`${name}\` |`);
    for (const word of words) assert.ok(content.includes(word), word);
  });
}

for (const [name, content] of pages) {
  test(`${name} can be rendered: links lead somewhere, anchors are unique, tables are even, no tag vanishes`, () => {
    const anchors = headings(content).map(anchor);
    assert.equal(new Set(anchors).size, anchors.length, 'two headings share an anchor');
    for (const [, file = '', target = ''] of withoutCode(content).matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
      if (file.startsWith('..')) {
        assert.ok(existsSync(join(root, 'docs/reference', file)), `${file} leads nowhere`);
        continue;
      }
      const there = headings(page(file === '' ? name : file)).map(anchor);
      assert.ok(target === '' || there.includes(target), `${file}#${target} leads nowhere`);
    }
    for (const [block] of content.matchAll(/(?:^\|.*\|$\n?)+/gm)) {
      const widths = block
        .trim()
        .split('\n')
        .map((line) => line.replaceAll('\\|', '').split('|').length);
      assert.equal(new Set(widths).size, 1, block);
    }
    assert.doesNotMatch(withoutCode(content).replace(/<!--[\s\S]*?-->/g, ''), /</);
  });
}
