/** A real Kubernetes on this machine: its programs built and cached, its clusters started, stopped and kept. */
export { Binaries, type EnsureOptions, ensureBinaries, missingGroups } from '#binary/ensure.ts';
export { type GroupName, groupNames, groups, usualGroupNames, versions } from '#binary/group.ts';
export { type Companion, EmbeddedCluster, type ProcessFact } from '#cluster/embedded-cluster.ts';
export { type StartOptions, startCluster } from '#cluster/start.ts';
export { type ReadyCompanion, startCompanion, startSimulator } from '#cluster/start-companion.ts';
export { type ClusterStatus, clusterCredentials, clusterStatus } from '#cluster/status.ts';
export { type StopOptions, type StopResult, stopCluster } from '#cluster/stop.ts';
export { clusterRanges } from '#control-plane/arguments.ts';
export { type StorageOptions, startStorage } from '#csi/cluster/start.ts';
export { type DoctorOptions, doctor } from '#doctor/doctor.ts';
export type { Check } from '#doctor/judge.ts';
export { EmbeddedError, type EmbeddedErrorCode, isEmbeddedError } from '#embedded-error.ts';
export { defaultHome } from '#home/layout.ts';
export { type Progress, type ProgressEvent, runTask, silent, type TaskReport } from '#progress.ts';
export { ensureUpstream } from '#upstream/ensure.ts';
export type { Upstream } from '#upstream/extract.ts';
export { installDefinitions } from '#upstream/install.ts';
