import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryDirectory } from '#testing/temporary-directory.ts';
import { homeLayout } from './layout.ts';
import {
  homeFormat,
  judgeHome,
  type PlatformSituation,
  platformRefusal,
  readRecord,
  type Situation,
  writeRecord,
} from './record.ts';

const situation: Situation = {
  home: '/home',
  record: { format: homeFormat, kubernetes: '1.36.3', port: 16443 },
  hasContent: true,
  kubernetes: '1.36.3',
  migrationSteps: [],
};
const recorded = (kubernetes: string, format = homeFormat) => ({ format, kubernetes });

const cases: Record<string, { given: Partial<Situation>; want: string }> = {
  'an empty directory becomes a home': { given: { record: 'absent', hasContent: false }, want: 'new' },
  'our own home is used': { given: {}, want: 'usable' },
  'a patch release before ours is used': { given: { record: recorded('1.36.0') }, want: 'usable' },
  'a patch release after ours is used': { given: { record: recorded('1.36.9') }, want: 'usable' },
  'data of the minor release before is taken over': { given: { record: recorded('1.35.4') }, want: 'usable' },
  'data of two minor releases before is refused': { given: { record: recorded('1.34.1') }, want: 'HomeTooOld' },
  'data of a later minor release is refused': { given: { record: recorded('1.37.0') }, want: 'HomeTooNew' },
  'data of another major release is refused': { given: { record: recorded('2.0.0') }, want: 'HomeTooNew' },
  'a layout from the future is refused': { given: { record: recorded('1.36.3', homeFormat + 1) }, want: 'HomeTooNew' },
  'an old layout with a way up is migrated': { given: { record: recorded('1.36.3', 0), migrationSteps: [0] }, want: 'migrate' },
  'an old layout without a way up is refused': {
    given: { record: recorded('1.36.3', -1), migrationSteps: [0] },
    want: 'HomeTooOld',
  },
  'data without a record is refused': { given: { record: 'absent' }, want: 'HomeDamaged' },
  'an unreadable record is refused': { given: { record: 'unreadable' }, want: 'HomeDamaged' },
};
for (const [name, { given, want }] of Object.entries(cases)) {
  test(`may this version start the home: ${name}`, () => {
    const verdict = judgeHome({ ...situation, ...given });
    assert.equal(verdict.kind === 'refuse' ? verdict.error.code : verdict.kind, want);
    if (verdict.kind === 'refuse')
      assert.match(verdict.error.message, /Nothing was changed\. Choose another home with --home DIR/);
  });
}

const platforms: Record<string, { given: Omit<PlatformSituation, 'home'>; want: RegExp | undefined }> = {
  'a new home may become real': { given: { before: undefined, asked: 'real', hasData: false }, want: undefined },
  'a real home stays real': { given: { before: 'real', asked: 'real', hasData: true }, want: undefined },
  'a simulated home stays simulated': { given: { before: 'simulated', asked: 'simulated', hasData: true }, want: undefined },
  'a home of an earlier version goes on simulated': {
    given: { before: undefined, asked: 'simulated', hasData: true },
    want: undefined,
  },
  'a real home whose data was set aside may be simulated': {
    given: { before: 'real', asked: 'simulated', hasData: false },
    want: undefined,
  },
  'a real home is not simulated': {
    given: { before: 'real', asked: 'simulated', hasData: true },
    want: /^\/home holds .* Start it with --real, .*`terrain down --wipe --home \/home`/,
  },
  'a simulated home does not become real': {
    given: { before: 'simulated', asked: 'real', hasData: true },
    want: /^\/home was used without --real.* Start it without --real, choose another home/,
  },
  'nor does one of an earlier version': { given: { before: undefined, asked: 'real', hasData: true }, want: /without --real/ },
};
for (const [name, { given, want }] of Object.entries(platforms)) {
  test(`real or simulated: ${name}`, () => {
    const refusal = platformRefusal({ home: '/home', ...given });
    assert.equal(refusal?.code, want === undefined ? undefined : 'HomeMixed');
    if (want !== undefined) assert.match(refusal?.message ?? '', want);
  });
}

test('a record is read as it was written, and garbage is told from absence', async (t) => {
  const layout = homeLayout(temporaryDirectory(t));
  assert.equal(await readRecord(layout), 'absent');
  await writeRecord(layout, { format: 1, kubernetes: '1.36.3', port: 5 });
  assert.deepEqual(await readRecord(layout), { format: 1, kubernetes: '1.36.3', port: 5 });
  for (const text of ['', '{', '[]', 'null', '{"format":"1","kubernetes":"1.36.3"}', '{"format":1,"kubernetes":"new"}']) {
    writeFileSync(layout.record, text);
    assert.equal(await readRecord(layout), 'unreadable', text);
  }
});
