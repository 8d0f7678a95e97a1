import { formatLedger, parseLedger } from '@terrain/api';
import type { Logger } from '@terrain/runtime';
import type { ConfigMap } from '#platform/core.ts';
import type { PolicyTexts } from '#policy/policy.ts';
import type { LedgerPort } from './port.ts';
import { rebuildLedger, salvageLedger } from './rebuild.ts';

/** The stored ledger, and whether it had to be mended. */
export interface Loaded {
  readonly object: ConfigMap;
  readonly isMended: boolean;
}

/**
 * Reads the ledger live. One that is gone is made again, and one that was damaged is mended, from the downloads that run.
 *
 * `inForce` is the policy last known: the defaults might admit, or remove, what it forbids.
 */
export async function loadLedger(
  port: LedgerPort,
  inForce: PolicyTexts | undefined,
  log: Logger,
  signal: AbortSignal,
): Promise<Loaded> {
  const found = await port.read(signal);
  if (found === undefined) {
    const running = await port.runningImports(signal);
    log.warn({ running: running.length }, 'there is no ledger of running syncs: it is made again from the downloads that run');
    return {
      object: await port.create(formatLedger(rebuildLedger(running, undefined, inForce)), signal),
      isMended: false,
    };
  }
  const reading = parseLedger(found.data);
  if (reading.kind !== 'damaged') return { object: found, isMended: false };
  const running = await port.runningImports(signal);
  log.warn(
    { problems: reading.problems },
    'the ledger of running syncs was damaged by hand: what can be read is kept, the rest found by a list',
  );
  const mended = rebuildLedger(running, salvageLedger(found.data), inForce);
  // The API server takes added entries only within the limit; the next write puts the limit in force again.
  const limit = Math.max(mended.limit, mended.entries.size);
  return { object: await port.replace({ ...found, data: formatLedger({ ...mended, limit }) }, signal), isMended: true };
}
