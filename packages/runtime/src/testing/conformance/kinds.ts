import type { ResourceType } from '#transport/resource.ts';

const group = 'conformance.test';

/** Namespaced, with a status subresource and lists of every sort. */
export const widgetType: ResourceType = { group, version: 'v1', plural: 'widgets', namespaced: true };
/** Cluster-wide, without a status subresource, any fields. */
export const gadgetType: ResourceType = { group, version: 'v1', plural: 'gadgets', namespaced: false };

const text = { type: 'string' };
const keyed = (key: string, properties: object) => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
  items: { type: 'object', required: [key], properties },
});

const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0 },
        color: { type: 'string', enum: ['red', 'blue'] },
        mode: { type: 'string', default: 'fast' },
        note: { type: 'string', maxLength: 20 },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: text },
        options: { type: 'object', additionalProperties: text },
        ports: keyed('name', { name: text, port: { type: 'integer' }, note: text }),
      },
    },
    status: {
      type: 'object',
      properties: { phase: text, conditions: keyed('type', { type: text, status: text, message: text }) },
    },
  },
};

export function crd(plural: string, kind: string, scope: 'Namespaced' | 'Cluster', version: object): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, ...version }],
    },
  };
}

export const anyFields = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

/** What the suite installs before its first case. */
export const crds: readonly object[] = [
  crd('widgets', 'Widget', 'Namespaced', {
    schema: { openAPIV3Schema: widgetSchema },
    subresources: { status: {} },
    selectableFields: [{ jsonPath: '.spec.color' }],
  }),
  crd('gadgets', 'Gadget', 'Cluster', { schema: anyFields }),
];
