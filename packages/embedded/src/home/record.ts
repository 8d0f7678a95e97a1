import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { EmbeddedError } from '#embedded-error.ts';
import type { HomeLayout } from './layout.ts';

/** Raised when the layout of a home changes; a step in `migrations` leads from each older number to the next. */
export const homeFormat = 1;

/** What a home remembers about itself. */
export interface HomeRecord {
  readonly format: number;
  /** The Kubernetes version that last wrote the data. */
  readonly kubernetes: string;
  /** The API server's port, kept so that kubeconfig files copied elsewhere stay valid. Absent until the first start succeeded. */
  readonly port?: number;
  /** What its disks and pods were made by. Absent in homes of earlier versions, which were simulated. */
  readonly platform?: HomePlatform;
}

/** Whether nodes, disks and their imports are real or simulated; the two leave objects behind that the other cannot live with. */
export type HomePlatform = 'real' | 'simulated';

/** Steps that turn a home of format n into one of format n + 1, in place and without losing data. */
export const migrations: Readonly<Record<number, (layout: HomeLayout, record: HomeRecord) => Promise<void>>> = {};

/** What to do with a home, judged before anything in it is touched. */
export type Verdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'usable'; readonly record: HomeRecord }
  | { readonly kind: 'migrate'; readonly record: HomeRecord; readonly from: number }
  | { readonly kind: 'refuse'; readonly error: EmbeddedError };

export interface Situation {
  readonly home: string;
  readonly record: HomeRecord | 'absent' | 'unreadable';
  /** Whether there is data or keys, which a new home never has. */
  readonly hasContent: boolean;
  readonly kubernetes: string;
  readonly migrationSteps: readonly number[];
}

/** Decides whether this version may start the home. */
export function judgeHome({ home, record, hasContent, kubernetes, migrationSteps }: Situation): Verdict {
  const refuse = (code: 'HomeDamaged' | 'HomeTooNew' | 'HomeTooOld', sentence: string): Verdict => ({
    kind: 'refuse',
    error: new EmbeddedError(code, sentence),
  });
  const choose = 'Nothing was changed. Choose another home with --home DIR';
  if (record === 'unreadable') {
    return refuse(
      'HomeDamaged',
      `${home}/home.json cannot be read, so it is unknown which version made this home. ${choose}, or restore that file.`,
    );
  }
  if (record === 'absent') {
    if (!hasContent) return { kind: 'new' };
    return refuse(
      'HomeDamaged',
      `${home} holds a cluster's data but no home.json, so it is unknown which version made it. ${choose}, or restore that file.`,
    );
  }
  if (record.format > homeFormat) {
    return refuse(
      'HomeTooNew',
      `${home} was made by a newer version of Terrain (format ${record.format}, this one knows ${homeFormat}). ${choose}, or use that version again.`,
    );
  }
  const skew = minorSkew(record.kubernetes, kubernetes);
  if (skew > 0) {
    return refuse(
      'HomeTooNew',
      `${home} was last used with Kubernetes ${record.kubernetes}, and ${kubernetes} cannot read its data. ${choose}, or use the newer version of Terrain again.`,
    );
  }
  if (skew < -1) {
    return refuse(
      'HomeTooOld',
      `${home} was last used with Kubernetes ${record.kubernetes}; ${kubernetes} can take over data of the release before it at most. ${choose}, or start this home once with a version of Terrain in between.`,
    );
  }
  if (record.format === homeFormat) return { kind: 'usable', record };
  for (let step = record.format; step < homeFormat; step++) {
    if (!migrationSteps.includes(step)) {
      return refuse(
        'HomeTooOld',
        `${home} was made by an older version of Terrain (format ${record.format}) from which there is no upgrade. ${choose}.`,
      );
    }
  }
  return { kind: 'migrate', record, from: record.format };
}

export interface PlatformSituation {
  readonly home: string;
  /** As recorded. */
  readonly before: HomePlatform | undefined;
  readonly asked: HomePlatform;
  /** Whether objects of an earlier start are still there. */
  readonly hasData: boolean;
}

/** Why a home may not be started the way it is asked for; undefined when it may. */
export function platformRefusal({ home, before = 'simulated', asked, hasData }: PlatformSituation): EmbeddedError | undefined {
  if (!hasData || before === asked) return undefined;
  const [had, again] =
    before === 'real'
      ? ['holds disks that CDI really imported, and its webhooks, which refuse simulated ones', 'with --real']
      : ['was used without --real, and simulated disks have no bytes that a real node could use', 'without --real'];
  return new EmbeddedError(
    'HomeMixed',
    `${home} ${had}. Start it ${again}, choose another home with --home DIR, or run \`terrain down --wipe --home ${home}\`, which sets its data aside, and start with an empty cluster.`,
  );
}

/** How many minor releases the first version is ahead of the second; a different major counts as a hundred. */
function minorSkew(first: string, second: string): number {
  const [firstMajor = 0, firstMinor = 0] = first.split('.').map(Number);
  const [secondMajor = 0, secondMinor = 0] = second.split('.').map(Number);
  return (firstMajor - secondMajor) * 100 + firstMinor - secondMinor;
}

export async function readRecord(layout: HomeLayout): Promise<HomeRecord | 'absent' | 'unreadable'> {
  if (!existsSync(layout.record)) return 'absent';
  try {
    const value = JSON.parse(await readFile(layout.record, 'utf8')) as Partial<HomeRecord>;
    const isValid = Number.isInteger(value.format) && typeof value.kubernetes === 'string' && /^\d+\.\d+/.test(value.kubernetes);
    return isValid ? (value as HomeRecord) : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

export async function writeRecord(layout: HomeLayout, record: HomeRecord): Promise<void> {
  await replaceFile(layout.record, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Replaces a file in one step, so that a reader or a crash finds the old text or the new, never half of one. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
