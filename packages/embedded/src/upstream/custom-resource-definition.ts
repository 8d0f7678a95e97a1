import type { KubeObject } from '@terrain/runtime';

/** The part of a CustomResourceDefinition that is looked at here; schemas pass through unread. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly singular?: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
}

export function isCustomResourceDefinition(value: unknown): value is CustomResourceDefinition {
  return typeof value === 'object' && value !== null && (value as KubeObject).kind === 'CustomResourceDefinition';
}
