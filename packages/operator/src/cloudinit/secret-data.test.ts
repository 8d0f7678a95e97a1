import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachineUser } from '@terrain/api';
import { aVirtualMachine, stored } from '@terrain/api/testing';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { GuestInterface } from './interfaces.ts';
import { cloudInitSecretData } from './secret-data.ts';

const pod: GuestInterface = {
  name: 'nic0',
  network: undefined,
  macAddress: '02:00:00:00:00:01',
  dhcp: true,
  addresses: [],
  routes: [],
  nameservers: [],
};

type Change = {
  readonly name?: string;
  readonly users?: VirtualMachineUser[];
  readonly passwords?: Readonly<Record<string, string>>;
  readonly interfaces?: readonly GuestInterface[];
  readonly instanceId?: string;
};

function written({ name, users, passwords = {}, interfaces = [pod], instanceId = 'one' }: Change) {
  const spec = { ...(name === undefined ? {} : { name }), ...(users === undefined ? {} : { users }) };
  return cloudInitSecretData({
    vm: stored(aVirtualMachine({ spec })),
    instanceId,
    passwords: new Map(Object.entries(passwords)),
    interfaces,
  });
}

/** Read as YAML 1.1, as cloud-init does, and as 1.2: both must agree. */
function read(text: string): unknown {
  const value: unknown = parse(text, { version: '1.1' });
  assert.deepEqual(parse(text, { version: '1.2' }), value);
  return value;
}

test('user data of the seed', () => {
  const user = {
    name: 'demo user',
    plain_text_passwd: 'demo-pwd',
    lock_passwd: false,
    sudo: 'ALL=(ALL) NOPASSWD:ALL',
    groups: 'sudo',
  };
  const { userdata } = written({ name: 'demo-vm', users: [user] });
  assert.deepEqual(userdata.split('\n').slice(0, 2), ['#cloud-config', '# instance: "one"']);
  assert.deepEqual(read(userdata), {
    hostname: 'demo-vm',
    preserve_hostname: false,
    manage_etc_hosts: 'localhost',
    users: [user],
  });
});

test('without users the image makes its own', () => {
  for (const given of [{}, { users: [] }]) assert.equal((read(written(given).userdata) as { users?: unknown }).users, undefined);
});

const hash = '$6$rounds=5000$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/';
const passwords: Record<string, { given: string | undefined; want: object }> = {
  'a password': { given: 'hunter2', want: { plain_text_passwd: 'hunter2' } },
  'a password from a file': { given: 'hunter2\n', want: { plain_text_passwd: 'hunter2' } },
  'a password from a file made on Windows': { given: 'hunter2\r\n', want: { plain_text_passwd: 'hunter2' } },
  'a SHA-512 hash': { given: hash, want: { hashed_passwd: hash } },
  'a hash from a file': { given: `${hash}\n`, want: { hashed_passwd: hash } },
  'a yescrypt hash': {
    given: '$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7',
    want: { hashed_passwd: '$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7' },
  },
  'a password that only looks like a hash': { given: '$6$cash', want: { plain_text_passwd: '$6$cash' } },
  'nothing yet': { given: undefined, want: {} },
};
for (const [name, { given, want }] of Object.entries(passwords)) {
  test(`a Secret that holds ${name}`, () => {
    const { userdata } = written({
      users: [
        { name: 'ann', passwordSecretRef: { name: 'ann', key: 'password' }, ssh_authorized_keys: ['ssh-ed25519 AAAA ann'] },
      ],
      passwords: given === undefined ? {} : { ann: given },
    });
    const { users } = read(userdata) as { users: unknown };
    assert.deepEqual(users, [{ name: 'ann', ssh_authorized_keys: ['ssh-ed25519 AAAA ann'], ...want }]);
  });
}

test('network data: version 2, matched by MAC', () => {
  const lab: GuestInterface = {
    name: 'nic1',
    network: 'lab',
    macAddress: '02:00:00:00:00:02',
    dhcp: false,
    addresses: ['10.10.0.161/24'],
    routes: [
      { to: '0.0.0.0/0', via: '10.10.0.1', metric: 100 },
      { to: '172.26.0.0/15', via: '10.10.0.9' },
    ],
    nameservers: ['10.10.0.53'],
  };
  assert.deepEqual(read(written({ interfaces: [pod, lab] }).networkdata), {
    version: 2,
    ethernets: {
      nic0: { match: { macaddress: '02:00:00:00:00:01' }, 'set-name': 'nic0', dhcp4: true, dhcp6: false },
      nic1: {
        match: { macaddress: '02:00:00:00:00:02' },
        'set-name': 'nic1',
        dhcp4: false,
        dhcp6: false,
        addresses: ['10.10.0.161/24'],
        routes: [
          { to: '0.0.0.0/0', via: '10.10.0.1', metric: 100 },
          { to: '172.26.0.0/15', via: '10.10.0.9' },
        ],
        nameservers: { addresses: ['10.10.0.53'] },
      },
    },
  });
});

/** Texts that mean something to a shell, to YAML, to a template engine, or to a reader that is not careful. */
const nasty = fc.constantFrom(
  '## template: jinja\n#cloud-config\n{{ ds.meta_data }}',
  '\n#cloud-config\nruncmd: [reboot]',
  '$(reboot)',
  '`id`',
  '!!python/object/apply:os.system ["id"]',
  '!include /etc/shadow',
  '*alias',
  '&anchor x',
  '<<: *default',
  '---\n...\n',
  '"',
  "'",
  '\\',
  '\\U0010ffff',
  '#',
  ': ',
  '- ',
  '{{ 7 * 7 }}',
  '{% for x in y %}',
  '\0',
  '\x85\u2028\u2029\ufeff\ufffe\uffff\x7f\x9f',
  '😀 — ÄÖÜ العربية',
  'yes',
  'null',
  '0777',
  '1e3',
  '12:30:45',
  '~',
  '',
  ' ',
  '\t',
  '\r\n',
  'x'.repeat(20_000),
);
const anyText = fc.oneof(
  nasty,
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(nasty, { maxLength: 4 }).map((all) => all.join('')),
);
const anyUser: fc.Arbitrary<VirtualMachineUser> = fc.record(
  {
    name: anyText,
    plain_text_passwd: anyText,
    hashed_passwd: anyText,
    lock_passwd: fc.boolean(),
    sudo: anyText,
    groups: anyText,
    ssh_authorized_keys: fc.array(anyText, { maxLength: 3 }),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
);
const anyInterface: fc.Arbitrary<GuestInterface> = fc.record({
  name: fc.nat(7).map((index) => `nic${index}`),
  network: anyText,
  macAddress: anyText,
  dhcp: fc.boolean(),
  addresses: fc.array(anyText, { minLength: 1, maxLength: 2 }),
  routes: fc.array(fc.record({ to: anyText, via: anyText, metric: fc.nat() }, { noNullPrototype: true }), {
    minLength: 1,
    maxLength: 3,
  }),
  nameservers: fc.array(anyText, { minLength: 1, maxLength: 3 }),
});

test('whatever people write is read back as exactly that, and never runs', () => {
  fc.assert(
    fc.property(
      fc.array(anyUser, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(anyInterface, { maxLength: 4, selector: ({ name }) => name }),
      anyText,
      (users, interfaces, instanceId) => {
        const data = written({ users, interfaces, instanceId });
        assert.match(data.userdata, /^#cloud-config\n# instance: ".*"\n\{\n/);
        for (const text of Object.values(data)) assert.match(text, /^[\n\x20-\x7e]*\n$/);
        assert.deepEqual((read(data.userdata) as { users: unknown }).users, users);
        const { ethernets } = read(data.networkdata) as { ethernets: Record<string, unknown> };
        assert.deepEqual(
          ethernets,
          Object.fromEntries(
            interfaces.map(({ name, macAddress, dhcp, addresses, routes, nameservers }) => [
              name,
              {
                match: { macaddress: macAddress },
                'set-name': name,
                dhcp4: dhcp,
                dhcp6: false,
                addresses,
                routes,
                nameservers: { addresses: nameservers },
              },
            ]),
          ),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('a password from a Secret is read back as exactly that', () => {
  fc.assert(
    fc.property(anyText, (password) => {
      const { userdata } = written({
        users: [{ name: 'ann', passwordSecretRef: { name: 's' } }],
        passwords: { ann: `${password}\r\n` },
      });
      const { users } = read(userdata) as { users: unknown };
      assert.deepEqual(users, [{ name: 'ann', plain_text_passwd: password }]);
    }),
    { numRuns: 300 },
  );
});

test('the host name is a legal one whatever the machine is called', () => {
  const { userdata } = written({ name: 'Ubuntu_20.04 LTS\n$(x)' });
  assert.equal((read(userdata) as { hostname: unknown }).hostname, 'ubuntu-20-04-lts-x');
});

test('half a surrogate pair becomes the replacement character, which a guest can store', () => {
  const { userdata } = written({ users: [{ name: 'a\ud800' }] });
  assert.deepEqual((read(userdata) as { users: unknown }).users, [{ name: 'a\ufffd' }]);
});
