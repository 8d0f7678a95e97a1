/**
 * A controller runtime for TypeScript: from a socket to an API server up to controllers. It knows no kind of ours.
 */

export { type CompareAndSwapOptions, compareAndSwap } from '#apply/compare-and-swap.ts';
export { controllerReference, controllerUid, ForeignObjectError } from '#apply/owner-reference.ts';
export { type Refusal, refusalOf } from '#apply/refusal.ts';
export { appliedAnnotation, Writer, type WriterOptions } from '#apply/writer.ts';
export { type Clock, sleepOn, systemClock } from '#clock/clock.ts';
export { Controller } from '#controller/controller.ts';
export type {
  ControllerObserver,
  ControllerOptions,
  KeysOf,
  Outcome,
  Reconcile,
  ReconcileContext,
  SourceOptions,
} from '#controller/options.ts';
export { after, done, type Result, TerminalError } from '#controller/result.ts';
export type { EventObject, Happening, Reporter } from '#events/event.ts';
export { Recorder, type RecorderOptions } from '#events/recorder.ts';
export { type HealthCheck, HealthServer, type HealthServerOptions } from '#health/health-server.ts';
export {
  type ChangeContext,
  type ChangeHandler,
  Informer,
  type InformerObserver,
  type InformerOptions,
} from '#informer/informer.ts';
export { Informers, type InformersOptions } from '#informer/informers.ts';
export type { InformerScope } from '#informer/scope.ts';
export { Elector, type ElectorOptions, LeadershipLostError } from '#leader/elector.ts';
export { fenceWrites } from '#leader/fence.ts';
export { createLogger, type Logger, type LoggerOptions, silentLogger } from '#log/logger.ts';
export { Frames } from '#manager/frames.ts';
export { type ManagedControllerOptions, Manager, type ManagerOptions } from '#manager/manager.ts';
export { ShutdownError, shutdownSignal } from '#manager/shutdown.ts';
export { type ApplyManifestsOptions, applyManifests, nameOf } from '#manifest/apply-manifests.ts';
export { type WaitOptions, waitForObject } from '#manifest/wait-for-object.ts';
// A program's own metrics join the registry of its Manager, so they must be made by the same library.
export { Counter, Gauge, Histogram, Registry } from '#metrics/prom-client.ts';
export { type MeasuredController, RuntimeMetrics } from '#metrics/runtime-metrics.ts';
export { FailureLimiter, type FailureLimiterOptions } from '#queue/failure-limiter.ts';
export { type Priority, type QueueObserver, WorkQueue, type WorkQueueOptions } from '#queue/work-queue.ts';
export { keyOf, keyText, type ObjectKey, parseKey } from '#store/key.ts';
export { compareVersions } from '#store/resource-version.ts';
export type { IndexFunction } from '#store/secondary-index.ts';
export type { Change, StoreReader } from '#store/store.ts';
export { ApiError, isAlreadyExists, isConflict, isNotFound, type StatusBody, type StatusCause } from '#transport/api-error.ts';
export type { ApiRequest, ApiResponse, ApiTransport } from '#transport/api-transport.ts';
export { Connection, type ConnectionOptions, type TransportObserver } from '#transport/connection.ts';
export type { Credentials, Impersonation } from '#transport/credentials.ts';
export { Discovery } from '#transport/discovery.ts';
export { loadInCluster } from '#transport/in-cluster.ts';
export type { KubeList, KubeObject, ObjectMeta, OwnerReference } from '#transport/kube-object.ts';
export { loadKubeconfig } from '#transport/kubeconfig.ts';
export { NoAnswerError } from '#transport/no-answer-error.ts';
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
export type { WatchState } from '#watch/options.ts';
