/** Workspaces and other objects for tests. */
import type { Workspace } from '@terrain/api';
import { aWorkspace, override, stored } from '@terrain/api/testing';
import type { KubeObject } from '@terrain/runtime';

/** When everything happened. */
export const time = '2026-01-01T00:00:00Z';
/** A workspace as an API server would store it. */
export const workspace = (change: object = {}): Workspace => override(stored(aWorkspace()), change) as Workspace;

/** An object of any kind; `owner` is the UID of the one that owns it. */
export const object = (
  kind: string,
  name: string,
  rest: { apiVersion?: string; owner?: string; [key: string]: unknown } = {},
): KubeObject => {
  const { apiVersion = 'v1', owner, metadata = {}, ...fields } = rest;
  const ownerReferences =
    owner === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: owner }] };
  return {
    apiVersion,
    kind,
    metadata: { name, uid: `${kind}/${name}`, ...ownerReferences, ...(metadata as object) },
    ...fields,
  } as KubeObject;
};
