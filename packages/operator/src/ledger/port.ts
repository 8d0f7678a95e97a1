import type { ConfigMap } from '#platform/core.ts';
import type { RunningImport } from './rebuild.ts';
import type { IsRunning } from './suspects.ts';

/** The way to the ledger's ConfigMap. All calls are live: nothing here may come from a cache. */
export interface LedgerPort {
  /** Undefined when there is none. */
  read(signal: AbortSignal): Promise<ConfigMap | undefined>;
  /** Fails when there is one already. */
  create(data: Record<string, string>, signal: AbortSignal): Promise<ConfigMap>;
  /** Only if the stored object still has the given one's resource version. */
  replace(object: ConfigMap, signal: AbortSignal): Promise<ConfigMap>;
  /** Every DataVolume of an attempt that may still download. */
  runningImports(signal: AbortSignal): Promise<readonly RunningImport[]>;
  /** Whether the DataVolume of an attempt is there and may still download. */
  readonly isRunning: IsRunning;
}
