/** The reference page of a kind. */
import { stringify } from 'yaml';
import type { KindDefinition } from '#kind.ts';
import { minimalManifests } from '#minimal/manifests.ts';
import { type Node, schemaOf } from '#schema/node.ts';
import { link, prose } from './markdown.ts';
import {
  columnHeading,
  columnTable,
  conditionTables,
  type Elsewhere,
  type FindElsewhere,
  fieldTables,
  ruleList,
} from './sections.ts';
import { objectSections } from './walk.ts';

/** File name of a kind's page. */
export const pageName = (definition: KindDefinition): string => `${definition.singular}.md`;

/** What makes two objects the same to a reader: their fields and their rules, not the sentence that introduces them. */
const shape = ({ description: _, ...node }: Node): string => JSON.stringify(node);

const conditionEntry = 'status.conditions[]';

/**
 * Finds the page that already describes an object: conditions are alike for all kinds, and a template of another kind has exactly
 * that kind's spec.
 */
export function onOtherPages(definition: KindDefinition, all: readonly KindDefinition[]): FindElsewhere {
  const specs = new Map<string, Elsewhere>(
    all
      .filter((other) => other !== definition)
      .map((other) => [
        shape(schemaOf(other, 'spec')),
        { title: `spec of a ${other.kind}`, page: pageName(other), heading: 'spec' },
      ]),
  );
  return (node, path) => {
    if (path === conditionEntry) return { title: 'condition', page: 'README.md', heading: 'Conditions' };
    return path === 'spec' ? undefined : specs.get(shape(node));
  };
}

/** Also finds objects that an earlier part of the same page describes, such as the network cards of machines and of containers. */
function earlierOrElsewhere(definition: KindDefinition, elsewhere: FindElsewhere): FindElsewhere {
  const isElsewhere = (node: Node, path: string): boolean => elsewhere(node, path) !== undefined;
  const first = new Map<string, string>();
  for (const part of ['spec', 'status'] as const) {
    for (const { path, node } of objectSections(schemaOf(definition, part), part, isElsewhere)) {
      if (!first.has(shape(node))) first.set(shape(node), path);
    }
  }
  return (node, path) => {
    const earlier = first.get(shape(node));
    if (earlier === undefined || earlier === path) return elsewhere(node, path);
    return { title: 'object', page: '', heading: earlier };
  };
}

const facts = ({ group, version, kind, plural, scope, shortNames }: KindDefinition): string => `| | |
| --- | --- |
| apiVersion | \`${group}/${version}\` |
| kind | \`${kind}\` |
| scope | ${scope === 'Cluster' ? 'the whole cluster' : 'a namespace'} |
| on the command line | ${[...shortNames, `${plural}.${group}`].map((name) => `\`${name}\``).join(', ')} |`;

/** The whole page. */
export function kindPage(definition: KindDefinition, all: readonly KindDefinition[]): string {
  const elsewhere = onOtherPages(definition, all);
  const described = earlierOrElsewhere(definition, elsewhere);
  const minimal = minimalManifests.find(({ kind }) => kind === definition.kind);
  const contents = ['spec', 'Rules', 'status', 'Conditions', 'Reasons', columnHeading(definition)];
  const parts = [
    `# ${definition.kind}\n\n${prose(definition.description)}`,
    facts(definition),
    ...(minimal === undefined ? [] : [`The least one has to write:\n\n\`\`\`yaml\n${stringify(minimal)}\`\`\``]),
    `On this page: ${contents.map((heading) => link(heading, heading)).join(' · ')}`,
    fieldTables(definition, 'spec', described),
    ruleList(definition, elsewhere),
    fieldTables(definition, 'status', described),
    conditionTables(definition),
    columnTable(definition),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}
