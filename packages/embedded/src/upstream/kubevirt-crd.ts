import { parse } from 'yaml';
import { EmbeddedError } from '#embedded-error.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { type Column, helperSchemas, type KubeVirtKind, kubeVirtKinds, mainVersions } from './kubevirt-kinds.ts';

/** Joins KubeVirt's generated schemas with what its code says about each kind. */
export function kubeVirtDefinitions(schemas: ReadonlyMap<string, string>): CustomResourceDefinition[] {
  const unknown = [...schemas.keys()].filter((name) => !(name in kubeVirtKinds) && !helperSchemas.includes(name));
  const missing = Object.keys(kubeVirtKinds).filter((name) => !schemas.has(name));
  if (unknown.length + missing.length > 0) {
    throw new EmbeddedError(
      'UpstreamChanged',
      `KubeVirt's schemas are not those of the pinned version (unknown: ${unknown.join(', ') || 'none'}; missing: ${missing.join(', ') || 'none'}).`,
    );
  }
  return Object.entries(kubeVirtKinds).map(([singular, kind]) => definition(singular, kind, schemas.get(singular)!));
}

function definition(singular: string, facts: KubeVirtKind, schemaText: string): CustomResourceDefinition {
  const { openAPIV3Schema } = parse(schemaText) as { openAPIV3Schema: unknown };
  const group = facts.group === undefined ? 'kubevirt.io' : `${facts.group}.kubevirt.io`;
  const plural = facts.plural ?? `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'kubevirt.io': '' } },
    spec: {
      group,
      scope: facts.scope ?? 'Namespaced',
      names: {
        plural,
        singular,
        kind: facts.kind,
        listKind: `${facts.kind}List`,
        ...(facts.shortNames === undefined ? {} : { shortNames: facts.shortNames }),
        ...(facts.isInAll === false ? {} : { categories: ['all'] }),
      },
      versions: (facts.versions ?? mainVersions).map((version) => ({
        name: version.replace('*', ''),
        served: true,
        storage: version.endsWith('*'),
        schema: { openAPIV3Schema },
        ...(facts.subresources === undefined ? {} : { subresources: subresources(facts.subresources) }),
        ...(facts.columns === undefined ? {} : { additionalPrinterColumns: facts.columns.map(column) }),
      })),
    },
  } as CustomResourceDefinition;
}

function subresources(wanted: 'status' | 'scale'): object {
  if (wanted === 'status') return { status: {} };
  return {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.labelSelector',
    },
  };
}

function column([name, jsonPath, type, priority]: Column): object {
  return { name, jsonPath, type: type ?? 'string', ...(priority === undefined ? {} : { priority }) };
}
