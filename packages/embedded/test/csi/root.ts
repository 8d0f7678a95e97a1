import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

/**
 * A test that mounts, for which only root has the rights. Without them it fails where everything must be tested, and is
 * named as not run elsewhere.
 */
export function rootTest(name: string, body: (t: TestContext) => Promise<void>): void {
  if (process.getuid?.() === 0) test(name, body);
  else if (process.env.CI === 'true') test(name, () => assert.fail('needs root, to mount file systems'));
  else console.error(`not run, because it needs root to mount file systems: ${name}`);
}
