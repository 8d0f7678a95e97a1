import { apiVersionOf } from './kind.ts';
import type { Kinds } from './kinds.ts';

/** What paths other than resources answer; undefined for an unknown one. */
export function discover(kinds: Kinds, path: string): object | string | undefined {
  const [root, group, version, ...rest] = path.split('/').filter(Boolean);
  if (rest.length > 0) return undefined;
  if (['healthz', 'livez', 'readyz'].includes(root ?? '') && group === undefined) return 'ok';
  if (root === 'version' && group === undefined) return { major: '1', minor: '36', gitVersion: 'v1.36.0-fake' };
  if (root === 'api' && version === undefined)
    return group === undefined ? { kind: 'APIVersions', versions: ['v1'] } : resources(kinds, group);
  if (root !== 'apis') return undefined;
  if (group === undefined) return groups(kinds);
  return version === undefined ? undefined : resources(kinds, `${group}/${version}`);
}

function resources(kinds: Kinds, groupVersion: string): object | undefined {
  const served = kinds.all().filter(({ type }) => apiVersionOf(type) === groupVersion);
  if (served.length === 0) return undefined;
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: served.flatMap(({ type, kind, hasStatus }) => {
      const base = { singularName: kind.toLowerCase(), namespaced: type.namespaced, kind };
      const status = { ...base, name: `${type.plural}/status`, verbs: ['get', 'patch', 'update'] };
      return [{ ...base, name: type.plural, verbs }, ...(hasStatus ? [status] : [])];
    }),
  };
}

function groups(kinds: Kinds): object {
  const versions = new Map<string, string>();
  for (const { type } of kinds.all()) if (type.group !== '') versions.set(type.group, type.version);
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...versions].map(([name, version]) => {
      const preferred = { groupVersion: `${name}/${version}`, version };
      return { name, versions: [preferred], preferredVersion: preferred };
    }),
  };
}
