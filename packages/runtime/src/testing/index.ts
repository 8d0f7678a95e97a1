/**
 * What tests of controllers need: a clock they own, an API server in this process, a proxy that misbehaves, an observer that misses nothing.
 * Imported by tests only.
 */
export { FakeClock } from './fake-clock.ts';
