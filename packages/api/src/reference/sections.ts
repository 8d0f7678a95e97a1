/** The parts of a kind's reference page. */
import type { KindDefinition, PrinterColumn } from '#kind.ts';
import { entryOf, type Node, schemaOf } from '#schema/node.ts';
import { cell, code, link, prose, table } from './markdown.ts';
import { type Field, objectSections, rulesBelow } from './walk.ts';
import { limitsInWords, typeInWords } from './words.ts';

/** Where an object is described, when that is on another page. */
export type Elsewhere = { readonly title: string; readonly page: string; readonly heading: string };

/** Tells whether an object of a kind is described elsewhere, so that one description serves all who use it. */
export type FindElsewhere = (node: Node, path: string) => Elsewhere | undefined;

function typeCell(field: Field, findElsewhere: FindElsewhere): string {
  return typeInWords(field.node, (name) => {
    const { node, path } = entryOf(field.node, field.path);
    const elsewhere = findElsewhere(node, path);
    return elsewhere === undefined ? link(name, path) : link(elsewhere.title, elsewhere.heading, elsewhere.page);
  });
}

function demand({ node, isRequired }: Field): string {
  // An object that defaults to {} is only there so that the defaults of its own fields apply.
  if (node.default !== undefined && node.properties === undefined)
    return code(typeof node.default === 'string' ? node.default : JSON.stringify(node.default));
  return isRequired ? '**required**' : '';
}

/** Spec or status: a table for every object in it. Nobody writes a status, so only the spec says what is required and allowed. */
export function fieldTables(definition: KindDefinition, part: 'spec' | 'status', findElsewhere: FindElsewhere): string {
  const isElsewhere = (node: Node, path: string): boolean => findElsewhere(node, path) !== undefined;
  return objectSections(schemaOf(definition, part), part, isElsewhere)
    .map(({ path, node, fields }) => {
      const rows = fields.map((field) => {
        const columns = [code(field.name), typeCell(field, findElsewhere), cell(field.node.description ?? '')];
        return part === 'spec'
          ? [columns[0]!, columns[1]!, demand(field), cell(limitsInWords(field.node)), columns[2]!]
          : columns;
      });
      const headings = part === 'spec' ? ['field', 'type', 'default', 'limits', 'meaning'] : ['field', 'type', 'meaning'];
      return `${path === part ? '##' : '###'} ${path}\n\n${prose(node.description ?? '')}\n\n${table(headings, rows)}`;
    })
    .join('\n\n');
}

/** What the API server refuses, in its own words. */
export function ruleList(definition: KindDefinition, findElsewhere: FindElsewhere): string {
  const rules = [
    ...definition.rules.map(({ message, fieldPath = '' }) => ({ path: fieldPath.replace(/^\./, '') || 'metadata', message })),
    ...rulesBelow(schemaOf(definition, 'spec'), 'spec', (node, path) => findElsewhere(node, path) !== undefined),
  ];
  if (rules.length === 0) return '';
  return `## Rules

Beyond types and limits, the API server checks the following on every write, and refuses with these words.

${table(
  ['where', 'words'],
  rules.map(({ path, message }) => [code(path), cell(message)]),
)}`;
}

const width = ({ priority = 0 }: PrinterColumn): string => (priority === 0 ? '' : 'with `-o wide`');

/** Heading of the part that tells what `kubectl get` shows. */
export const columnHeading = ({ shortNames, plural }: KindDefinition): string => `kubectl get ${shortNames[0] ?? plural}`;

/** What `kubectl get` shows. */
export function columnTable(definition: KindDefinition): string {
  return `## ${columnHeading(definition)}

${table(
  ['column', 'shows', 'from', 'when'],
  definition.printerColumns.map((column) => [column.name, cell(column.description), code(column.jsonPath), width(column)]),
)}`;
}

/** What the conditions tell, and what to do for each reason. */
export function conditionTables({ conditions, reasons }: KindDefinition): string {
  return `## Conditions

All of them are always present. \`kubectl describe\` shows them with a reason, explained below, and a message.

${table(
  ['condition', 'true when'],
  conditions.map(({ name, description }) => [code(name), cell(description)]),
)}

## Reasons

${table(
  ['reason', 'meaning', 'what to do'],
  reasons.map(({ name, description, whatToDo }) => [code(name), cell(description), cell(whatToDo)]),
)}`;
}
