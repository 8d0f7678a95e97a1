import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installDebianPackages } from './apt.ts';

/** An apt-get that fails as often as told, and what it was asked for: each time after the option that makes it wait for others. */
function aptFailing(times: number) {
  const asked: string[] = [];
  let left = times;
  const run = async (_program: string, [, script, , option, patience, ...args]: readonly string[]) => {
    assert.equal(script, 'DEBIAN_FRONTEND=noninteractive exec apt-get -q "$@"');
    assert.deepEqual([option, patience], ['-o', 'DPkg::Lock::Timeout=300'], 'another installation is waited for');
    asked.push(args.join(' '));
    if (left-- > 0) throw new Error(`apt-get said: no ${asked.length}`);
    return '';
  };
  return { asked, run };
}

const install = 'install -y --no-install-recommends ipset nftables';

test('packages are installed with one command', async () => {
  const { asked, run } = aptFailing(0);
  await installDebianPackages(['ipset', 'nftables'], run);
  assert.deepEqual(asked, [install]);
});

test('a list of packages that is out of date is renewed', async () => {
  const { asked, run } = aptFailing(1);
  await installDebianPackages(['ipset', 'nftables'], run);
  assert.deepEqual(asked, [install, 'update', install]);
});

test('what apt-get said last is what is said', async () => {
  const { run } = aptFailing(3);
  await assert.rejects(installDebianPackages(['ipset', 'nftables'], run), /no 2/);
});
