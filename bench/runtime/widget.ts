// Types only: whatever this file loads, every contender that is written in TypeScript pays for.
import type { KubeObject, ResourceType } from '@terrain/runtime';

/** What every contender turns into one ConfigMap and one status. */
export interface Widget extends KubeObject {
  readonly spec: { readonly size: number; readonly text: string };
  readonly status?: WidgetStatus;
}

export interface WidgetStatus {
  readonly observedGeneration?: number;
  readonly configMap?: string;
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const group = 'bench.terrain.dev';
export const widgets: ResourceType = { group, version: 'v1', plural: 'widgets', namespaced: true };
export const configMaps: ResourceType = { group: '', version: 'v1', plural: 'configmaps', namespaced: true };
/** Set by whoever creates a widget that is to be deleted; a contender removes it last. */
export const cleanupFinalizer = `${group}/cleanup`;

export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size', 'text'],
                properties: { size: { type: 'integer', format: 'int64' }, text: { type: 'string' } },
              },
              status: {
                type: 'object',
                properties: { observedGeneration: { type: 'integer', format: 'int64' }, configMap: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
};

/** About as much text as a small real object has. */
const text = 'A widget has a text that nobody reads, so that it is no smaller than the objects of real life are. '.repeat(4);

export function newWidget(namespace: string, name: string, size: number): Widget {
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name, namespace }, spec: { size, text } };
}

export function desiredConfigMap(widget: Widget): ConfigMap {
  const { name = '', namespace = '', uid = '' } = widget.metadata;
  const owner = { apiVersion: widget.apiVersion, kind: widget.kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, ownerReferences: [owner] },
    data: { size: String(widget.spec.size), text: widget.spec.text },
  };
}

export function desiredStatus({ metadata }: Widget): Required<WidgetStatus> {
  return { observedGeneration: metadata.generation ?? 0, configMap: metadata.name ?? '' };
}

/** Whether a contender is through with this widget. */
export function isServed({ metadata, status }: Widget): boolean {
  return status?.configMap === metadata.name && status?.observedGeneration === metadata.generation;
}
