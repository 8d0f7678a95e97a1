/** What the floor is told, through its environment. */
export interface FloorSettings {
  readonly namespace: string;
  readonly credentialsFile: string;
  readonly mode: 'blind' | 'following';
  /** Requests at the same time. */
  readonly parallel: number;
  /** Images under way at the same time, when it follows. */
  readonly slots: number;
}

export const toEnvironment = ({ namespace, credentialsFile, mode, parallel, slots }: FloorSettings): Record<string, string> => ({
  BENCH_NAMESPACE: namespace,
  BENCH_CREDENTIALS: credentialsFile,
  BENCH_MODE: mode,
  BENCH_PARALLEL: String(parallel),
  BENCH_SLOTS: String(slots),
});

export function fromEnvironment(env: NodeJS.ProcessEnv): FloorSettings {
  const read = (name: string): string => {
    const value = env[name];
    if (value === undefined) throw new Error(`${name} is not set; the floor is started by the bench, not by hand`);
    return value;
  };
  return {
    namespace: read('BENCH_NAMESPACE'),
    credentialsFile: read('BENCH_CREDENTIALS'),
    mode: read('BENCH_MODE') === 'following' ? 'following' : 'blind',
    parallel: Number(read('BENCH_PARALLEL')),
    slots: Number(read('BENCH_SLOTS')),
  };
}
