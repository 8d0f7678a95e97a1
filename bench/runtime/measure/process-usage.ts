import { readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** The most it ever had resident. */
  readonly peakBytes: number;
}

/** Linux counts CPU time for user space in hundredths of a second, whatever the kernel's own tick is. */
const ticksPerSecond = 100;

export function usageOf(pid: number): Usage {
  const read = (file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch (error) {
      throw new Error(`process ${pid} has ended, or this system has no /proc: run this bench on Linux`, { cause: error });
    }
  };
  return parseUsage(read('stat'), read('status'));
}

export function parseUsage(stat: string, status: string): Usage {
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    residentBytes: kilobytes('VmRSS') * 1024,
    peakBytes: kilobytes('VmHWM') * 1024,
  };
}
