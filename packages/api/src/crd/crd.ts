import { rules } from '#common/rule.ts';
import { unseenStatus } from '#common/unseen.ts';
import type { KindDefinition } from '#kind.ts';
import { toStructural } from './structural.ts';

/** A CustomResourceDefinition, ready to be applied. */
export type CustomResourceDefinition = {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
};

const apiVersionDescription = 'Group and version of this kind.';
const kindDescription = 'The kind of this object.';

/** The CRD of a kind. */
export function crdOf(definition: KindDefinition): CustomResourceDefinition {
  const { group, version, kind, plural, singular, shortNames, categories, scope } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'app.kubernetes.io/part-of': 'terrain' } },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames: [...shortNames], categories: [...categories] },
      scope,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.printerColumns.map((column) => ({ ...column })),
          schema: {
            openAPIV3Schema: {
              description: definition.description,
              type: 'object',
              required: ['spec'],
              ...(definition.rules.length === 0 ? {} : rules(...definition.rules)),
              properties: {
                apiVersion: { description: apiVersionDescription, type: 'string' },
                kind: { description: kindDescription, type: 'string' },
                metadata: { type: 'object' },
                spec: toStructural(definition.spec, `${kind}.spec`),
                status: { ...toStructural(definition.status, `${kind}.status`), default: unseenStatus },
              },
            },
          },
        },
      ],
    },
  };
}
