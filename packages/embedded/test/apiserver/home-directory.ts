import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A place for a home that does not exist yet, and how to remove it. */
export function homeDirectory(): { readonly home: string; readonly remove: () => void } {
  const parent = mkdtempSync(join(tmpdir(), 'terrain-home-'));
  const removeNow = () => rmSync(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  process.once('exit', removeNow);
  const remove = () => {
    process.off('exit', removeNow);
    removeNow();
  };
  return { home: join(parent, 'home'), remove };
}
