import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonFlags, defaultProgramName, isPackageLine, linkerFlags, moduleCount, stalePackages } from './build.ts';
import { groups } from './group.ts';

test('only modules whose content is vouched for are counted', () => {
  const goSum = ['a.example v1.0.0 h1:x=', 'a.example v1.0.0/go.mod h1:y=', 'b.example v2.0.0/go.mod h1:z=', ''].join('\n');
  assert.equal(moduleCount(goSum), 1);
});

test('packages without a reason, or merely not installed, need no compiling', () => {
  const listing = [
    'unsafe ',
    'example.com/fresh ',
    'example.com/program not installed but available in build cache',
    'example.com/old build ID mismatch',
    'example.com/above stale dependency: example.com/old',
    '',
  ].join('\n');
  assert.equal(stalePackages(listing), 2);
});

const lines: Record<string, { given: string; want: boolean }> = {
  'an import path': { given: 'k8s.io/api/core/v1', want: true },
  'a path of the standard library': { given: 'net/http', want: true },
  'a path with a capital and a tilde': { given: 'github.com/Azure/x~y', want: true },
  'a download': { given: 'go: downloading k8s.io/api v0.36.3', want: false },
  'a header above errors': { given: '# k8s.io/api/core/v1', want: false },
  'a compile error': { given: 'x/y.go:12:3: undefined: z', want: false },
  'an empty line': { given: '', want: false },
};
for (const [name, { given, want }] of Object.entries(lines)) {
  test(`progress counts import paths and nothing else: ${name}`, () => assert.equal(isPackageLine(given), want));
}

test('Go names a program after its path, major versions left out', () => {
  assert.equal(defaultProgramName('k8s.io/kubernetes/cmd/kubectl'), 'kubectl');
  assert.equal(defaultProgramName('go.etcd.io/etcd/server/v3'), 'server');
});

test('builds never change go.mod and carry no trace of this machine', () => {
  assert.deepEqual(commonFlags(groups.core), [
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    '-tags=selinux,notest,grpcnotrace',
  ]);
});

test('the linker is told the version', () => {
  assert.match(linkerFlags(groups.core), /^-s -w -X k8s\.io\/component-base\/version\.gitVersion=v1\.36\.3 /);
  assert.equal(linkerFlags(groups.sim), '-s -w');
});
