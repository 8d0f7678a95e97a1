/** A real Kubernetes on this machine: its programs built and cached, its clusters started, stopped and kept. */
export { Binaries, type EnsureOptions, ensureBinaries, missingGroups } from '#binary/ensure.ts';
export {
  type GroupName,
  groupNames,
  groups,
  nodeGroupNames,
  realGroupNames,
  usualGroupNames,
  versions,
} from '#binary/group.ts';
export { ensureSupplies, writeReadyMade } from '#binary/ready-made.ts';
export { type Companion, EmbeddedCluster, type ProcessFact } from '#cluster/embedded-cluster.ts';
export { readyMadePrograms } from '#cluster/running-file.ts';
export { type StartOptions, startCluster } from '#cluster/start.ts';
export { type ReadyCompanion, startCompanion, startSimulator } from '#cluster/start-companion.ts';
export { type ClusterStatus, clusterCredentials, clusterStatus } from '#cluster/status.ts';
export { type StopOptions, type StopResult, stopCluster } from '#cluster/stop.ts';
export { clusterRanges } from '#control-plane/arguments.ts';
export { type StorageOptions, startStorage } from '#csi/cluster/start.ts';
export { driverName } from '#csi/service/identity.ts';
export { type DoctorOptions, doctor } from '#doctor/doctor.ts';
export type { Check } from '#doctor/judge.ts';
export { EmbeddedError, type EmbeddedErrorCode, isEmbeddedError } from '#embedded-error.ts';
export { defaultHome } from '#home/layout.ts';
export { makeDirectory, makeHomeDirectory } from '#make-directory.ts';
export { type Progress, type ProgressEvent, runTask, silent, type TaskReport } from '#progress.ts';
export type { RealNode } from '#real/node.ts';
export { describePlan, planRealNode } from '#real/plan.ts';
export { ensureDebianRoot } from '#real/platform/debian-root.ts';
export { makeDiskFile } from '#real/platform/disk-file.ts';
export { DiskServer } from '#real/platform/disk-server.ts';
export { startRealImports } from '#real/platform/start.ts';
export { type SourceKind, sourceHost, sourceUrl } from '#real/sources/address.ts';
export { type Source, type Sources, startSources } from '#real/sources/start.ts';
export { startRealNode } from '#real/start.ts';
export { ensureUpstream } from '#upstream/ensure.ts';
export type { Upstream } from '#upstream/extract.ts';
export { installDefinitions } from '#upstream/install.ts';
