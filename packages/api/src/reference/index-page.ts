/** The first page of the reference: the kinds, and what holds for all of them. */
import { annotations, category } from '#common/keys.ts';
import type { KindDefinition } from '#kind.ts';
import { entryOf, schemaOf } from '#schema/node.ts';
import { cell, code, table } from './markdown.ts';
import { pageName } from './page.ts';
import { objectSections } from './walk.ts';
import { typeInWords } from './words.ts';

const annotationMeanings: Readonly<Record<keyof typeof annotations, { readonly on: string; readonly meaning: string }>> = {
  paused: {
    on: 'any object',
    meaning: '`"true"`: nothing is created, changed or deleted for this object until the annotation is gone.',
  },
  retry: { on: 'VMDiskImage', meaning: 'Any new value gives an image that was given up another set of attempts.' },
  cancel: { on: 'VMDiskImage', meaning: 'Any value ends a running download and gives the image up.' },
  network: {
    on: 'NetworkAttachmentDefinition',
    meaning: 'What guests need to know of the network, as JSON: `cidr`, `gateway`, `nameservers`, `routes`.',
  },
};

function conditionFields(definition: KindDefinition): string {
  const conditions = schemaOf(definition, 'status').properties?.conditions;
  if (conditions === undefined) throw new TypeError(`${definition.kind} has no status.conditions, which every kind has`);
  const { node, path } = entryOf(conditions, 'status.conditions');
  const [section] = objectSections(node, path, () => false);
  const rows = section?.fields.map((field) => [
    code(field.name),
    typeInWords(field.node, () => 'object'),
    cell(field.node.description ?? ''),
  ]);
  return table(['field', 'type', 'meaning'], rows ?? []);
}

/** The whole page. */
export function indexPage(all: readonly KindDefinition[]): string {
  return `# Reference

Every kind, field, rule, condition and reason. The pages are made from the same definitions as the CRDs, so they cannot disagree with
what the API server does; \`kubectl explain\` shows the same descriptions.

${table(
  ['kind', 'short', 'lives in', 'what it is for'],
  all.map((kind) => [
    `[${kind.kind}](${pageName(kind)})`,
    code(kind.shortNames[0] ?? kind.plural),
    kind.scope === 'Cluster' ? 'the cluster' : 'a namespace',
    cell(kind.description),
  ]),
)}

\`kubectl get ${category} -A\` lists objects of all kinds. KubeVirt has a kind named VirtualMachine too: say \`otvm\` for ours.
Manifests to start from are in [examples](../../examples/README.md).

## How to read the pages

- **quantity**: a number with an optional unit, such as \`500m\`, \`2\` or \`24Gi\`.
- **duration**: numbers with units, such as \`90s\`, \`30m\` or \`1h30m\`; the units are \`ms\`, \`s\`, \`m\` and \`h\`.
- **default**: what holds when the field is left out. A field without a default that is not required may be left out; its meaning says what happens then.
- The status is written by the operator only. \`phase\` and \`message\` are for people; programs read the conditions.

## Annotations

${table(
  ['annotation', 'on', 'meaning'],
  Object.entries(annotationMeanings).map(([key, { on, meaning }]) => [
    code(annotations[key as keyof typeof annotations]),
    on,
    cell(meaning),
  ]),
)}

## Conditions

Every kind reports its state as a list of conditions. \`Ready\` sums the others up, \`Reconciling\` and \`Stalled\` are what generic
tools (kstatus, Argo CD, Flux) look at:

\`\`\`sh
kubectl wait --for=condition=Ready --timeout=10m vmdi/NAME
\`\`\`

${all[0] === undefined ? '' : conditionFields(all[0])}`;
}
