/**
 * Loaded before the program of a child process under test. Lets the parent shift the wall clock, and ends the child when the parent is gone,
 * however it went.
 *
 * Caveats: `Date` is shifted, `Temporal.Now` is not; timers and `performance.now` keep real time, as they do when a machine's clock is set.
 */
import { clockShiftVariable, isShiftClock } from './messages.ts';

let shiftMs = Number(process.env[clockShiftVariable] ?? 0);
const realNow = Date.now;
const now = (): number => realNow() + shiftMs;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  apply: (target) => new target(now()).toString(),
  get: (target, property) => (property === 'now' ? now : (Reflect.get(target, property) as unknown)),
});

process.on('message', (message) => {
  if (!isShiftClock(message)) return;
  shiftMs += message.shiftClockMs;
  process.send?.({ clockShiftedMs: message.shiftClockMs });
});
process.on('disconnect', () => process.exit(1));
// The channel alone is no reason to stay.
process.channel?.unref();
