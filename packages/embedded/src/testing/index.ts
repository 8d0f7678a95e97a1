/** Throw-away clusters for tests. */
export { type CommandResult, TestCluster, type TestClusterOptions } from './cluster.ts';
export { newTestCluster, testCluster } from './shared.ts';
