import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePlan, type RealNodePlan } from './plan.ts';

const cases: Record<string, { given: RealNodePlan; want: string | undefined }> = {
  'nothing to do': { given: { groups: [], packages: [], needsImages: false }, want: undefined },
  'programs to build': {
    given: { groups: ['multus', 'kube-router'], packages: [], needsImages: false },
    want: 'A real node, the first time: build multus, kube-router, which takes about 5 minutes on two cores with nothing cached.',
  },
  'packages to install': {
    given: { groups: [], packages: ['containerd'], needsImages: false },
    want: 'A real node, the first time: install the Debian packages containerd.',
  },
  everything: {
    given: { groups: ['node-tools'], packages: ['runc', 'ipset'], needsImages: true },
    want: 'A real node, the first time: build node-tools, which takes about a minute on two cores with nothing cached, and install the Debian packages runc, ipset, and make the images of CDI from Debian packages, which takes a minute or two.',
  },
};
for (const [name, { given, want }] of Object.entries(cases)) test(name, () => assert.equal(describePlan(given), want));
