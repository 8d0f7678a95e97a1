import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Check,
  judgeApt,
  judgeBinaries,
  judgeDisk,
  judgeGo,
  judgeHome,
  judgeKernel,
  judgeMemory,
  judgePlatform,
  judgePort,
  judgeRealHome,
  judgeRealImages,
  judgeRealMachine,
  judgeRealMemory,
  judgeRealPackages,
  judgeRealPrograms,
  judgeRealSettings,
  judgeRoot,
} from './judge.ts';

const port = { port: 16443, isFree: false, isFixed: false, isOurs: false, sentence: 'Port 16443 is taken by x.' };
const whole = { group: 'core', state: 'whole', detail: 'in /cache' } as const;
const kernel = { filesystems: 'nodev\tproc\nnodev\toverlay\n\text4\n', hasControlGroups: true, hasLoopDevices: true };

const cases: Record<string, { given: Check; want: Check['state']; fix?: RegExp }> = {
  'Linux on x64': { given: judgePlatform('linux/x64'), want: 'ok' },
  'macOS works in part': { given: judgePlatform('darwin/arm64'), want: 'warn', fix: /a real node needs Linux/ },
  'Windows does not work': { given: judgePlatform('win32/x64'), want: 'fail', fix: /Use Linux/ },
  'everything built': { given: judgeBinaries([whole]), want: 'ok' },
  'something not built yet': {
    given: judgeBinaries([whole, { group: 'sim', state: 'absent', detail: '' }]),
    want: 'warn',
    fix: /terrain build/,
  },
  'a damaged program': {
    given: judgeBinaries([{ group: 'core', state: 'damaged', detail: 'etcd is missing' }]),
    want: 'warn',
    fix: /built again/,
  },
  'a good Go': { given: judgeGo({ version: '1.27.0', program: '/go' }, '1.26.0', true), want: 'ok' },
  'no Go while something must be built': {
    given: judgeGo(undefined, '1.26.0', true),
    want: 'fail',
    fix: /install Go 1\.26\.0 or newer/,
  },
  'no Go when all is built': { given: judgeGo(undefined, '1.26.0', false), want: 'warn', fix: /install Go/ },
  'an old Go': {
    given: judgeGo({ version: '1.20', program: '/go' }, '1.26.0', true),
    want: 'fail',
    fix: /Go 1\.20 \(\/go\) is too old/,
  },
  'enough disk': { given: judgeDisk('/x', 7e9, 6e9), want: 'ok' },
  'too little disk': { given: judgeDisk('/x', 5e9, 6e9), want: 'fail', fix: /\/x has 5\.0 GB left/ },
  'enough memory': { given: judgeMemory(8e9), want: 'ok' },
  'little memory': { given: judgeMemory(2e9), want: 'warn', fix: /about 2 GB/ },
  'hardly any memory': { given: judgeMemory(0.5e9), want: 'fail', fix: /needs 1 GB/ },
  'a free port': { given: judgePort({ ...port, isFree: true }), want: 'ok' },
  'our own cluster has the port': { given: judgePort({ ...port, isFixed: true, isOurs: true }), want: 'ok' },
  'a stranger has the port of a new home': { given: judgePort(port), want: 'ok' },
  'a stranger has the port this home always had': {
    given: judgePort({ ...port, isFixed: true }),
    want: 'fail',
    fix: /taken by x/,
  },
  'a usable home': { given: judgeHome('/h', 'stopped', undefined), want: 'ok' },
  'a home from the future': { given: judgeHome('/h', 'stopped', 'It is too new.'), want: 'fail', fix: /too new/ },
  root: { given: judgeRoot(0), want: 'ok' },
  'an ordinary user': { given: judgeRoot(1000), want: 'warn', fix: /Only `--real` needs this/ },
  apt: { given: judgeApt('/usr/bin/apt-get'), want: 'ok' },
  'no apt': { given: judgeApt(undefined), want: 'warn', fix: /Only `--real`/ },
  'a kernel with everything': { given: judgeKernel(kernel), want: 'ok' },
  'a kernel without ext4': {
    given: judgeKernel({ ...kernel, filesystems: 'nodev\toverlay\n' }),
    want: 'warn',
    fix: /Only `--real`/,
  },
  'a kernel without control groups': {
    given: judgeKernel({ ...kernel, hasControlGroups: false }),
    want: 'warn',
    fix: /Only `--real`/,
  },
  'a kernel without loop devices': {
    given: judgeKernel({ ...kernel, hasLoopDevices: false }),
    want: 'warn',
    fix: /Only `--real`/,
  },
  'images of a real node': { given: judgeRealImages(true, 9e9), want: 'ok' },
  'images of a real node to be made': { given: judgeRealImages(false, 9e9), want: 'warn', fix: /a minute or two/ },
  'no room for them': { given: judgeRealImages(false, 2.5e9), want: 'warn', fix: /take about 3\.0 GB/ },
  'settings that a real node needs': { given: judgeRealSettings(undefined), want: 'ok' },
  'a setting that a real node would change': {
    given: judgeRealSettings('vm.panic_on_oom is 2 and must be 0'),
    want: 'warn',
    fix: /Only `--real`/,
  },
  'enough memory for a real node': { given: judgeRealMemory(4e9), want: 'ok' },
  'too little memory for a real node': { given: judgeRealMemory(2e9), want: 'warn', fix: /about 2\.5 GB/ },
  'a home that may be real': { given: judgeRealHome('/h', undefined), want: 'ok' },
  'a home that is simulated': { given: judgeRealHome('/h', 'It was used without --real.'), want: 'warn', fix: /used without/ },
  'all programs of a real node': { given: judgeRealPrograms([]), want: 'ok' },
  'programs of a real node to be built': {
    given: judgeRealPrograms([
      { name: 'node', coldBuildMs: 60_000 },
      { name: 'multus', coldBuildMs: 61_000 },
    ]),
    want: 'warn',
    fix: /builds them, at most 3 min; `terrain build node multus` does it now/,
  },
  'all packages of a real node': { given: judgeRealPackages([]), want: 'ok' },
  'packages of a real node to be installed': {
    given: judgeRealPackages(['containerd', 'ipset']),
    want: 'warn',
    fix: /`apt-get install --no-install-recommends containerd ipset`/,
  },
  'a machine without a real node': {
    given: judgeRealMachine({ home: undefined, isRunning: false, obstacle: undefined }),
    want: 'ok',
  },
  'a real node that runs': { given: judgeRealMachine({ home: '/h', isRunning: true, obstacle: 'there is' }), want: 'ok' },
  'a real node that was killed': {
    given: judgeRealMachine({ home: '/h', isRunning: false, obstacle: 'there is' }),
    want: 'warn',
    fix: /cleans up after it/,
  },
  'a machine that uses the addresses of pods': {
    given: judgeRealMachine({ home: undefined, isRunning: false, obstacle: 'this machine already uses 10.244.0.0/24' }),
    want: 'warn',
    fix: /Only `--real`/,
  },
};
for (const [name, { given, want, fix }] of Object.entries(cases)) {
  test(`doctor: ${name}`, () => {
    assert.equal(given.state, want);
    if (fix === undefined) assert.equal(given.fix, undefined);
    else assert.match(given.fix ?? '', fix);
  });
}
