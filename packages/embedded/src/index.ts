/** A real Kubernetes on this machine: its programs built and cached, its clusters started, stopped and kept. */
export { Binaries, type EnsureOptions, ensureBinaries } from '#binary/ensure.ts';
export { type GroupName, groupNames, groups } from '#binary/group.ts';
export { EmbeddedError, type EmbeddedErrorCode, isEmbeddedError } from '#embedded-error.ts';
export type { Progress, ProgressEvent } from '#progress.ts';
