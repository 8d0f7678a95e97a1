/** How a schema reads, shown on a kind made up for the purpose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { address, count, dnsLabel, flag, instant, oneOf, positiveDuration, positiveQuantity, text } from '#common/field.ts';
import { mapList, setList } from '#common/list.ts';
import { rules } from '#common/rule.ts';
import { columns, defineKind, type KindDefinition } from '#kind.ts';
import { kindPage } from './page.ts';

const garden: KindDefinition = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Garden',
  plural: 'gardens',
  singular: 'garden',
  shortNames: ['gd'],
  scope: 'Namespaced',
  categories: [],
  description: 'Beds of plants, in the namespace garden-<name>.',
  spec: Type.Object(
    {
      beds: mapList(
        Type.Object(
          {
            name: dnsLabel('Name of the bed.'),
            area: positiveQuantity('area', 'How large it is.'),
            soil: Type.Optional(oneOf(['sand', 'loam', 'clay'], 'What it is made of | see below.', { default: 'loam' })),
          },
          { description: 'One bed.' },
        ),
        ['name'],
        'The beds.',
        { maxItems: 8, minItems: 1 },
      ),
      tags: Type.Optional(setList(text(10, 'One tag.', { pattern: '^(a|b)$' }), 'Tags.', { maxItems: 4 })),
      rest: Type.Optional(positiveDuration('rest', 'How long it rests.', { default: '30m' })),
      well: Type.Optional(address('well', 'Where the water is.')),
      rows: Type.Optional(count('Rows.', { minimum: 1, maximum: 9 })),
      fenced: flag('Whether there is a fence.'),
    },
    { description: 'What to plant.', ...rules({ rule: 'true', message: 'a fence needs a bed; add one', fieldPath: '.fenced' }) },
  ),
  status: Type.Object(
    {
      plantedAt: Type.Optional(instant('When it was planted.')),
      yield: Type.Optional(Type.Object({ pounds: count('Pounds in all.') }, { description: 'What it gave.' })),
    },
    { description: 'What grew.' },
  ),
  rules: [{ rule: 'true', message: 'metadata.name is too long; choose another' }],
  printerColumns: columns(),
  conditions: [{ name: 'Ready', description: 'Something can be harvested.' }],
  reasons: [{ name: 'Frost', description: 'It is too cold.', whatToDo: 'Wait, or run `heat garden-<name>`.' }],
});

test('a page reads as a whole', () => {
  assert.equal(
    kindPage(garden, [garden]),
    `# Garden

Beds of plants, in the namespace garden-&lt;name>.

| | |
| --- | --- |
| apiVersion | \`example.org/v1\` |
| kind | \`Garden\` |
| scope | a namespace |
| on the command line | \`gd\`, \`gardens.example.org\` |

On this page: [spec](#spec) · [Rules](#rules) · [status](#status) · [Conditions](#conditions) · [Reasons](#reasons) · [kubectl get gd](#kubectl-get-gd)

## spec

What to plant.

| field | type | default | limits | meaning |
| --- | --- | --- | --- | --- |
| \`beds\` | list of [object](#specbeds) | **required** | 1 to 8 entries; each \`name\` once | The beds. |
| \`tags\` | list of text |  | at most 4 entries; each once; each at most 10 characters; matches \`^(a\\|b)$\` | Tags. |
| \`rest\` | duration | \`30m\` |  | How long it rests. |
| \`well\` | IP address |  |  | Where the water is. |
| \`rows\` | whole number |  | 1 to 9 | Rows. |
| \`fenced\` | true or false | **required** |  | Whether there is a fence. |

### spec.beds[]

One bed.

| field | type | default | limits | meaning |
| --- | --- | --- | --- | --- |
| \`name\` | text | **required** | 1 to 63 characters; lower-case letters, digits and dashes | Name of the bed. |
| \`area\` | quantity | **required** |  | How large it is. |
| \`soil\` | \`sand\`, \`loam\` or \`clay\` | \`loam\` |  | What it is made of \\| see below. |

## Rules

Beyond types and limits, the API server checks the following on every write, and refuses with these words.

| where | words |
| --- | --- |
| \`metadata\` | metadata.name is too long; choose another |
| \`spec.fenced\` | a fence needs a bed; add one |
| \`spec.beds[].area\` | area must be a quantity above zero; write a number with an optional unit, such as 500m, 2 or 24Gi |
| \`spec.rest\` | rest must be longer than zero; write a duration such as 90s, 30m or 2h |
| \`spec.well\` | well must be an IP address without prefix length, such as 10.10.0.1 |

## status

What grew.

| field | type | meaning |
| --- | --- | --- |
| \`plantedAt\` | time | When it was planted. |
| \`yield\` | [object](#statusyield) | What it gave. |

### status.yield

What it gave.

| field | type | meaning |
| --- | --- | --- |
| \`pounds\` | whole number | Pounds in all. |

## Conditions

All of them are always present. \`kubectl describe\` shows them with a reason, explained below, and a message.

| condition | true when |
| --- | --- |
| \`Ready\` | Something can be harvested. |

## Reasons

| reason | meaning | what to do |
| --- | --- | --- |
| \`Frost\` | It is too cold. | Wait, or run \`heat garden-<name>\`. |

## kubectl get gd

| column | shows | from | when |
| --- | --- | --- | --- |
| Phase | Where the object is in its life. | \`.status.phase\` |  |
| Age | Time since the object was created. | \`.metadata.creationTimestamp\` |  |
| Message | What is going on, in one sentence. | \`.status.message\` | with \`-o wide\` |`,
  );
});

test('an object that is the whole spec of another kind leads to the page of that kind', () => {
  const park: KindDefinition = {
    ...garden,
    kind: 'Park',
    singular: 'park',
    spec: Type.Object({ garden: { ...garden.spec, description: 'The garden.' } }, { description: 'A park.' }),
  };
  const content = kindPage(park, [garden, park]);
  assert.match(content, /\| `garden` \| \[spec of a Garden\]\(garden\.md#spec\) \|/);
  assert.doesNotMatch(content, /spec\.garden\.beds/);
});

test('an object that an earlier part of the page describes leads there', () => {
  const hedge = (description: string) => Type.Object({ height: count('How high.') }, { description });
  const yard: KindDefinition = {
    ...garden,
    rules: [],
    spec: Type.Object({ front: hedge('In front.'), back: hedge('Behind.') }, { description: 'A yard.' }),
  };
  const content = kindPage(yard, [yard]);
  assert.match(content, /\| `back` \| \[object\]\(#specfront\) \|/);
  assert.doesNotMatch(content, /^### spec\.back/m);
});
