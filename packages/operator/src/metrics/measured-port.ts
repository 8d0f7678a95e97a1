import { ApiError, isConflict } from '@terrain/runtime';
import type { LedgerPort } from '#ledger/port.ts';

/** What became of a write of the ledger: `conflict` when somebody else was first, `refused` when the API server's policies said no. */
export type LedgerWrite = 'written' | 'conflict' | 'refused' | 'error';

/** The same way to the ledger, telling of each write. */
export function measuredPort(port: LedgerPort, onWrite: (result: LedgerWrite) => void): LedgerPort {
  const measured = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const answer = await write;
      onWrite('written');
      return answer;
    } catch (error) {
      onWrite(isConflict(error) ? 'conflict' : error instanceof ApiError && error.code === 403 ? 'refused' : 'error');
      throw error;
    }
  };
  return {
    ...port,
    create: (data, signal) => measured(port.create(data, signal)),
    replace: (object, signal) => measured(port.replace(object, signal)),
  };
}
