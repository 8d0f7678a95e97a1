import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBinaries } from '#binary/ensure.ts';
import { mayExceedLimits } from '#csi/service/identity.ts';
import { plainProgress } from '#progress.ts';
import { nodeStand } from './node-stand.ts';
import { rootTest } from './root.ts';

interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

/** What upstream's suite leaves out by itself, because the driver does not claim to have it. */
const notClaimed = [
  /^Controller Service \[Controller Server\] ControllerPublishVolume /,
  /^Controller Service \[Controller Server\] ControllerUnpublishVolume /,
  /^Controller Service \[Controller Server\] volume lifecycle /,
  /^ModifyVolume |volume attribute class$/,
  /^GroupController Service /,
];
/** Switched off in upstream's own source, as fragile. */
const pendingUpstream = /pagination should detect volumes added between pages/;
const growsInUse = 'should work if node-expand is called after node-publish';

const nameOf = (spec: Spec) => [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ');

for (const accessType of ['mount', 'block'] as const) {
  rootTest(`the tests that all storage drivers share pass for ${accessType} volumes`, async (t) => {
    const binaries = await ensureBinaries(['csi-sanity'], { binaries: process.env.TERRAIN_BINARIES, progress: plainProgress() });
    const stand = await nodeStand(t);
    const canGrowInUse = mayExceedLimits(readFileSync('/proc/self/status', 'utf8')) || accessType === 'block';
    const report = join(stand.directory, 'report.json');
    const args = [
      `--csi.endpoint=unix:${join(stand.directory, 'csi.sock')}`,
      `--csi.mountdir=${join(stand.directory, 'mount')}`,
      `--csi.stagingdir=${join(stand.directory, 'staging')}`,
      `--csi.testvolumeaccesstype=${accessType}`,
      `--csi.testvolumesize=${64 * 1024 ** 2}`,
      `--csi.testvolumeexpandsize=${128 * 1024 ** 2}`,
      `--ginkgo.json-report=${report}`,
      ...(canGrowInUse ? [] : [`--ginkgo.skip=${growsInUse}`]),
    ];
    const words = await run(binaries.path('csi-sanity'), args, stand.directory);
    const [{ SpecReports }] = JSON.parse(readFileSync(report, 'utf8')) as [{ SpecReports: readonly Spec[] }];
    const specs = SpecReports.filter(({ LeafNodeType }) => LeafNodeType === 'It');
    const inState = (state: string) => specs.filter((spec) => spec.State === state).map(nameOf);

    const failures = specs.filter(({ Failure, State }) => Failure !== undefined && State !== 'skipped');
    assert.deepEqual(
      failures.map((spec) => `${nameOf(spec)}: ${spec.Failure?.Message}`),
      [],
      words,
    );
    const left = inState('skipped').filter((name) => !notClaimed.some((pattern) => pattern.test(name)));
    assert.deepEqual(left, canGrowInUse ? [] : [`Node Service NodeExpandVolume ${growsInUse}`], 'nothing else was left out');
    assert.deepEqual(
      inState('pending').filter((name) => !pendingUpstream.test(name)),
      [],
    );
    assert.equal(inState('passed').length, canGrowInUse ? 67 : 66);
    assert.deepEqual(stand.kept(), { volumes: [], snapshots: [], work: [] });
  });
}

/** A non-zero end is for the report to explain. */
function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, maxBuffer: 64 * 1024 ** 2 }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}
