/**
 * A controller runtime for TypeScript: from a socket to an API server up to controllers. It knows no kind of ours.
 */

export { type Clock, sleepOn, systemClock } from '#clock/clock.ts';
export { type ApplyManifestsOptions, applyManifests, nameOf } from '#manifest/apply-manifests.ts';
export { type WaitOptions, waitForObject } from '#manifest/wait-for-object.ts';
export { ApiError, isAlreadyExists, isConflict, isNotFound, type StatusBody, type StatusCause } from '#transport/api-error.ts';
export { type ApiRequest, type ApiResponse, Connection, type ConnectionOptions } from '#transport/connection.ts';
export type { Credentials, Impersonation } from '#transport/credentials.ts';
export { Discovery } from '#transport/discovery.ts';
export { loadInCluster } from '#transport/in-cluster.ts';
export type { KubeList, KubeObject, ObjectMeta, OwnerReference } from '#transport/kube-object.ts';
export { loadKubeconfig } from '#transport/kubeconfig.ts';
export {
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type ListOptions,
  type ObjectAddress,
  Resource,
  type ResourceType,
  resourcePath,
} from '#transport/resource.ts';
