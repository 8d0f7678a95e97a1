import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeGo } from '#testing/fake-go.ts';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { ensureUpstream, upstreamKey } from './ensure.ts';

const body = JSON.stringify({ definitions: [], nodeStages: [], nodeRole: {} });
const withHash = (rest: string): string => `${createHash('sha256').update(rest).digest('hex')}\n${rest}`;
const checked = withHash(`${await upstreamKey()}\n${body}`);

test('ready-made files need neither Go nor a cache', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'upstream.json'), checked);
  assert.deepEqual(await ensureUpstream({ binaries: directory, cacheDirectory: directory, env: {} }), JSON.parse(body));
});

const refusals: Record<string, { given: string | undefined; version?: string; want: RegExp }> = {
  'no file and no Go': {
    given: undefined,
    want: /^\S+ has no upstream\.json \(definitions of .+\), and there is no Go 1\.\d+\.\d+ or newer here to download them with: run `terrain build --output DIR` where there is one, and put what is in DIR into \S+\.$/,
  },
  'a file that broke off and no Go': {
    given: checked.slice(0, -1),
    want: /^\S+\/upstream\.json is damaged \(definitions of .+ `terrain build --output DIR`/,
  },
  'no file and an old Go': {
    given: undefined,
    version: '1.20.0',
    want: /^\S+ has no upstream\.json .+ `terrain build --output DIR`/,
  },
};
for (const [name, { given, version, want }] of Object.entries(refusals)) {
  test(`a directory of ready-made programs is refused with the file it lacks: ${name}`, async (t) => {
    const directory = temporaryDirectory(t);
    if (given !== undefined) writeFileSync(join(directory, 'upstream.json'), given);
    const env = version === undefined ? {} : fakeGo(directory, { version }).env;
    await assert.rejects(ensureUpstream({ binaries: directory, cacheDirectory: directory, env }), {
      code: 'BinaryMissing',
      message: want,
    });
  });
}

const outdated: Record<string, string> = {
  'of other versions': withHash(`0123456789abcdef\n${body}`),
  'of unknown versions': withHash(body),
};
for (const [name, given] of Object.entries(outdated)) {
  test(`ready-made definitions ${name} are refused, also where Go is`, async (t) => {
    const directory = temporaryDirectory(t);
    writeFileSync(join(directory, 'upstream.json'), given);
    const { env, calls } = fakeGo(directory);
    await assert.rejects(ensureUpstream({ binaries: directory, cacheDirectory: directory, env }), {
      code: 'BinaryMissing',
      message: `${join(directory, 'upstream.json')} (definitions of CDI, KubeVirt, snapshots, networks and kwok) was made for other versions than this checkout uses: run \`terrain build --output ${directory}\` again where Go is, or leave out --binaries.`,
    });
    assert.deepEqual(calls(), []);
  });
}

test('without such a directory it is Go that is missing', async (t) => {
  await assert.rejects(ensureUpstream({ cacheDirectory: temporaryDirectory(t), env: {} }), {
    code: 'GoMissing',
    message: /or pass --binaries DIR with what `terrain build --output DIR` made on another machine\.$/,
  });
});
