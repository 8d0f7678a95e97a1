import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { installDebianPackages } from '#real/apt.ts';

/** What a machine lacks for file systems to be mounted on it; undefined when it lacks nothing. */
function lack(): string | undefined {
  if (process.getuid?.() !== 0) return 'This test needs root, to mount file systems: run it with sudo.';
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  if (((BigInt(`0x${effective}`) >> 21n) & 1n) === 0n)
    return 'This test needs CAP_SYS_ADMIN, to mount file systems: run it outside of the container, or in a privileged one.';
  return existsSync('/dev/loop-control')
    ? undefined
    : 'This test needs loop devices: run it where /dev/loop-control is, after `modprobe loop` if need be.';
}

/** A test that mounts. On a machine that does not let it, it fails with what is missing: what did not run proves nothing. */
export function rootTest(name: string, body: (t: TestContext) => Promise<void>): void {
  const reason = lack();
  test(name, reason === undefined ? body : () => assert.fail(reason));
}

/** Makes sure of a program that few machines have, by the Debian package it comes in. */
export async function ensureProgram(program: string, debianPackage: string): Promise<void> {
  if (existsSync(program)) return;
  await installDebianPackages([debianPackage]);
}
