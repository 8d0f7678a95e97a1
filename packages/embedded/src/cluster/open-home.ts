import { existsSync } from 'node:fs';
import { kubernetesVersion } from '#binary/group.ts';
import { EmbeddedError } from '#embedded-error.ts';
import type { HomeLayout } from '#home/layout.ts';
import { type HomeRecord, homeFormat, judgeHome, migrations, readRecord, writeRecord } from '#home/record.ts';
import { makeHomeDirectory } from '#make-directory.ts';
import { FileLock } from '#process/file-lock.ts';

/** Takes a home for ourselves, or says who has it. */
export async function lockHome(layout: HomeLayout): Promise<FileLock> {
  await makeHomeDirectory(layout.home);
  const lock = FileLock.tryAcquire(layout.lock);
  if (lock instanceof FileLock) return lock;
  throw new EmbeddedError(
    'HomeInUse',
    `A cluster already runs in ${layout.home} (process ${lock.pid}): stop it with \`terrain down --home ${layout.home}\`, or choose another home with --home DIR.`,
  );
}

/** Judges the home, brings an older one up to date, and returns what it remembers. The caller holds the lock. */
export async function openHome(layout: HomeLayout): Promise<HomeRecord> {
  const verdict = judgeHome({
    home: layout.home,
    record: await readRecord(layout),
    hasContent: existsSync(layout.data) || existsSync(layout.pki),
    kubernetes: kubernetesVersion,
    migrationSteps: Object.keys(migrations).map(Number),
  });
  if (verdict.kind === 'refuse') throw verdict.error;
  if (verdict.kind === 'usable') return verdict.record;
  if (verdict.kind === 'migrate') {
    for (let step = verdict.from; step < homeFormat; step++) await migrations[step]!(layout, verdict.record);
  }
  const record: HomeRecord = {
    ...(verdict.kind === 'migrate' ? verdict.record : {}),
    format: homeFormat,
    kubernetes: kubernetesVersion,
  };
  await writeRecord(layout, record);
  return record;
}
