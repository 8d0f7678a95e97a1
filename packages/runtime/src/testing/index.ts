/**
 * What tests of controllers need: a clock they own, an API server in this process, a proxy that misbehaves, an observer that misses nothing.
 * Imported by tests only.
 */
export { ApiFake, type ApiFakeOptions } from './api-fake/api-fake.ts';
export type { KindOptions } from './api-fake/kinds.ts';
export type { ConformanceTarget } from './conformance/sandbox.ts';
export { conformanceCases, prepareConformance, runCase } from './conformance/suite.ts';
export { FakeClock } from './fake-clock.ts';
