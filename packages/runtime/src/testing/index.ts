/**
 * What tests of controllers need: a clock they own, an API server in this process, a proxy that misbehaves, an observer that misses nothing.
 * Imported by tests only.
 */
export type { Verb } from './api-call.ts';
export { ApiFake, type ApiFakeOptions } from './api-fake/api-fake.ts';
export type { KindOptions } from './api-fake/kinds.ts';
export type { Admission } from './api-fake/writer.ts';
export type { ConformanceTarget } from './conformance/sandbox.ts';
export { conformanceCases, prepareConformance, runCase } from './conformance/suite.ts';
export { FakeClock } from './fake-clock.ts';
export { FaultProxy, type FaultProxyOptions } from './fault-proxy/fault-proxy.ts';
export type {
  EventFault,
  EventMatch,
  EventRule,
  FaultPlan,
  FaultRule,
  RequestFault,
  RequestRule,
  WatchFault,
} from './fault-proxy/plan.ts';
export { seededRandom } from './fault-proxy/random.ts';
export { hurriedClock } from './hurried-clock.ts';
export { Lookout } from './lookout.ts';
export { type Invariant, Observer, type ObserverOptions } from './observer/observer.ts';
export type { Violation } from './observer/report.ts';
export { type ObservedEvent, World } from './observer/world.ts';
export { besides, NodeProcess, type NodeProcessOptions, type ProcessEnd } from './process/node-process.ts';
export { type CallMatch, type EventEntry, type LogEntry, type RequestEntry, RequestLog } from './request-log.ts';
