import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSettings, type Settings } from './sysctl.ts';

const usual: Settings = {
  'vm.panic_on_oom': '0',
  'kernel.keys.root_maxkeys': '1000000',
  'kernel.keys.root_maxbytes': '25000000',
  'net.bridge.bridge-nf-call-iptables': '1',
  'net.bridge.bridge-nf-call-ip6tables': '1',
};

const cases: Record<string, { given: Settings; want: RegExp | undefined }> = {
  'the values of most machines': { given: usual, want: undefined },
  'a kernel without limits for keys': {
    given: Object.fromEntries(Object.entries(usual).filter(([name]) => !name.startsWith('kernel.keys'))),
    want: undefined,
  },
  'a kernel without filters on bridges': {
    given: Object.fromEntries(Object.entries(usual).filter(([name]) => !name.startsWith('net.bridge'))),
    want: /^the kernel has no net\.bridge\.bridge-nf-call-iptables, .*`modprobe br_netfilter`$/,
  },
  'a machine that restarts when memory is out': {
    given: { ...usual, 'vm.panic_on_oom': '2' },
    want: /^vm\.panic_on_oom is 2 and must be 0 \(kubelet would change it\): .*`sysctl -w vm\.panic_on_oom=0`$/,
  },
  'bridges kept out of packet filters': {
    given: { ...usual, 'net.bridge.bridge-nf-call-iptables': '0', 'net.bridge.bridge-nf-call-ip6tables': '0' },
    want: /iptables is 0 and must be 1 \(network policies need it\), and .*`sysctl -w \S+-iptables=1 \S+-ip6tables=1`$/,
  },
  'more keys than kubelet wants': { given: { ...usual, 'kernel.keys.root_maxkeys': '2000000' }, want: /root_maxkeys is 2000000/ },
};
for (const [name, { given, want }] of Object.entries(cases)) {
  test(`settings of the kernel: ${name}`, () => {
    const obstacle = judgeSettings(given);
    if (want === undefined) assert.equal(obstacle, undefined);
    else assert.match(obstacle ?? 'none', want);
  });
}
