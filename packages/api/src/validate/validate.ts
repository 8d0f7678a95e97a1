import type { KindDefinition } from '#kind.ts';
import { kinds } from '#kinds.ts';
import { schemaOf } from '#schema/node.ts';
import { nearest, type Problem, problemAt } from './problem.ts';
import { problemsOf } from './structure.ts';

const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestObjectName = 253;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const apiVersionOf = ({ group, version }: KindDefinition): string => `${group}/${version}`;

function findKind(apiVersion: unknown, kind: unknown): KindDefinition | readonly Problem[] {
  const definition = kinds.find((known) => known.kind === kind);
  if (definition === undefined) {
    const names = kinds.map((known) => known.kind);
    const meant = typeof kind === 'string' ? nearest(kind, names) : undefined;
    return [
      problemAt('kind', kind, `but must be one of ${names.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`),
    ];
  }
  if (apiVersion === apiVersionOf(definition)) return definition;
  return [problemAt('apiVersion', apiVersion, `but must be ${apiVersionOf(definition)} for a ${definition.kind}`)];
}

function nameProblems(metadata: unknown): Problem[] {
  const name = isObject(metadata) ? metadata.name : undefined;
  if (name === undefined) return [{ path: 'metadata.name', message: 'metadata.name is missing: every object needs a name' }];
  if (typeof name === 'string' && name.length <= longestObjectName && objectName.test(name)) return [];
  const rule = `but must have at most ${longestObjectName} lower-case letters, digits, dashes and dots, and begin and end with a letter or digit`;
  return [problemAt('metadata.name', name, rule)];
}

/**
 * Every problem of a manifest that can be seen without an API server: unknown, missing and malformed fields, and all bounds.
 *
 * Guarantees: what is reported here is refused by the API server as well (an unknown field by kubectl, which asks the API server to
 * be strict). Caveat: rules that compare fields with each other, rights, and references to other objects are judged by the API
 * server only, so no problem here is not yet a promise.
 */
export function validateManifest(manifest: unknown): readonly Problem[] {
  if (!isObject(manifest))
    return [{ path: '', message: 'The manifest is not an object with apiVersion, kind, metadata and spec' }];
  const definition = findKind(manifest.apiVersion, manifest.kind);
  if (!('kind' in definition)) return definition;
  if (!isObject(manifest.spec)) {
    return [
      ...nameProblems(manifest.metadata),
      { path: 'spec', message: `spec is missing: it says what the ${definition.kind} is to be` },
    ];
  }
  return [...nameProblems(manifest.metadata), ...problemsOf(schemaOf(definition, 'spec'), 'spec', manifest.spec)];
}
