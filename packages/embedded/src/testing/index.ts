/** Throw-away clusters for tests, and the platform played on them. */

export { defaultScenario, instantScenario, parseScenario, type Scenario } from '#simulator/scenario/scenario.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from '#simulator/simulator.ts';
export { type CommandResult, TestCluster, type TestClusterOptions } from './cluster.ts';
export { type FakeGoOptions, fakeGo } from './fake-go.ts';
export { setSyncPolicy, startOperator } from './operator.ts';
export { newTestCluster, testCluster } from './shared.ts';
