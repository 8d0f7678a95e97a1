import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachine } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { aMachine, readyStatus } from '../testing/machine.ts';
import { consoleInfo, renderConsoleInfo } from './console-info.ts';

const running = { status: readyStatus };
const at = (printableStatus: string) => ({ ...readyStatus, kubevirt: { name: 'web', printableStatus } });

const doors: Record<string, { given: Override<VirtualMachine>; mayOpen?: boolean; want: RegExp | undefined }> = {
  running: { given: running, want: undefined },
  paused: { given: { status: at('Paused') }, want: undefined },
  'running, for somebody without the right': {
    given: running,
    mayOpen: false,
    want: /^you may not: it needs the right to get virtualmachineinstances\/console .* in namespace lab;/,
  },
  'stopped as asked': {
    given: { spec: { powerState: 'Stopped' }, status: at('Stopped') },
    want: /^its spec keeps the machine stopped; `terrain vm start web -n lab` starts it$/,
  },
  starting: {
    given: { status: { ...at('Starting'), message: 'KubeVirt starts it' } },
    want: /^the machine does not run \(Starting\): KubeVirt starts it; `terrain vm wait web -n lab` waits for it$/,
  },
  'not made yet': {
    given: { status: { phase: 'Provisioning', message: 'image farm/debian is queued' } },
    want: /^the machine has not been made yet: image farm\/debian is queued$/,
  },
  'new': { given: {}, want: /^the machine has not been made yet: the operator has not seen it yet$/ },
  going: {
    given: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, ...running },
    want: /^the machine is being deleted$/,
  },
};
for (const [name, { given, mayOpen = true, want }] of Object.entries(doors))
  test(`the console of a machine that is ${name}`, () => {
    const { canOpen, why } = consoleInfo(aMachine('web', given), mayOpen).console;
    assert.equal(canOpen, want === undefined);
    if (want !== undefined) assert.match(why ?? '', want);
  });

const canary = 'canary-7Hq';
const users = [
  { name: 'demo user', plain_text_passwd: canary, lock_passwd: false },
  {
    name: 'ann',
    passwordSecretRef: { name: 'ann-pw' },
    lock_passwd: false,
    ssh_authorized_keys: ['ssh-ed25519 A', 'ssh-ed25519 B'],
  },
  { name: 'bob', hashed_passwd: `$6$${canary}` },
  { name: 'cat' },
];

test('users are told with where their passwords are, never with the passwords', () => {
  const info = consoleInfo(aMachine('web', { ...running, spec: { users } }), true);
  assert.deepEqual(info.users, [
    { name: 'demo user', password: 'in the spec of the machine', sshKeys: 0 },
    { name: 'ann', password: 'in Secret ann-pw, key password', sshKeys: 2 },
    { name: 'bob', password: 'known to whoever made its hash, but locked: lock_passwd is not false', sshKeys: 0 },
    { name: 'cat', password: 'none', sshKeys: 0 },
  ]);
  assert.ok(!`${JSON.stringify(info)}${renderConsoleInfo(info)}`.includes(canary));
});

test('ssh is offered on the pod network only, to a user whose name is one', () => {
  const ssh = (spec: Override<VirtualMachine['spec']>) => consoleInfo(aMachine('web', { ...running, spec }), true).commands.ssh;
  assert.equal(ssh({ users: [{ name: 'ann' }] }), 'virtctl ssh ann@vm/web -n lab');
  assert.equal(ssh({ users: [{ name: 'ann; reboot' }] }), undefined);
  assert.equal(ssh({ users: [{ name: 'ann' }], interfaces: [{ network: 'lab' }] }), undefined);
  assert.equal(ssh({}), undefined);
});

test('for people: what to type first, then networks and users', () => {
  const interfaces = [{ network: 'control', ipAddress: '10.10.0.161/24', macAddress: '02:00:00:00:00:01' }];
  const machine = aMachine('web', { spec: { users, interfaces }, status: { ...readyStatus, interfaces } });
  assert.equal(
    renderConsoleInfo(consoleInfo(machine, true)),
    [
      'Machine  lab/web, Running',
      'Console  virtctl console web -n lab',
      'Screen   virtctl vnc web -n lab',
      'Details  kubectl get virtualmachineinstances.kubevirt.io web -n lab -o wide',
      '',
      'NETWORK  ADDRESS      MAC',
      'control  10.10.0.161  02:00:00:00:00:01',
      '',
      'USER       SSH KEYS  PASSWORD',
      'demo user  -         in the spec of the machine',
      'ann        2         in Secret ann-pw, key password',
      'bob        -         known to whoever made its hash, but locked: lock_passwd is not false',
      'cat        -         none',
      '',
      'virtctl comes with KubeVirt (as a plugin: kubectl virt); Ctrl-] ends a console, and a second one throws the first out.',
      '',
    ].join('\n'),
  );
});
