/** What the clock of a child process is off by from its first moment on, in milliseconds. */
export const clockShiftVariable = 'RUNTIME_TEST_CLOCK_SHIFT_MS';

export interface ShiftClock {
  readonly shiftClockMs: number;
}

export const isShiftClock = (message: unknown): message is ShiftClock =>
  typeof message === 'object' && message !== null && 'shiftClockMs' in message;

export const isClockShifted = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'clockShiftedMs' in message;
