import { noSpaceSentence } from '#binary/disk-space.ts';
import { compareVersions, goMissingSentence, goTooOldSentence } from '#binary/go-toolchain.ts';

/** One thing looked at on this machine. `fail` means that `terrain up` will not work, `warn` that part of it will not. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it, as a sentence; undefined when all is well. */
  readonly fix: string | undefined;
}

const ok = (name: string, found: string): Check => ({ name, state: 'ok', found, fix: undefined });
const warn = (name: string, found: string, fix: string): Check => ({ name, state: 'warn', found, fix });
const fail = (name: string, found: string, fix: string): Check => ({ name, state: 'fail', found, fix });

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

export function judgePlatform(platform: string): Check {
  if (['linux/x64', 'linux/arm64'].includes(platform)) return ok('platform', platform);
  if (platform === 'darwin/arm64') return warn('platform', platform, 'Terrain is tested on Linux; a real node needs Linux.');
  return fail('platform', platform, 'Use Linux on x64 or arm64, or macOS on arm64.');
}

export interface CacheFinding {
  readonly group: string;
  readonly state: 'whole' | 'absent' | 'damaged';
  readonly detail: string;
}

export function judgeBinaries(findings: readonly CacheFinding[]): Check {
  const list = (state: CacheFinding['state']) => findings.filter((finding) => finding.state === state);
  const damaged = list('damaged');
  if (damaged.length > 0) {
    const what = damaged.map(({ group, detail }) => `${group} (${detail})`).join(', ');
    return warn('binaries', `damaged: ${what}`, 'They are built again at the next `terrain up`; `terrain build` does it now.');
  }
  const absent = list('absent').map(({ group }) => group);
  if (absent.length > 0) {
    return warn(
      'binaries',
      `not built yet: ${absent.join(', ')}`,
      'The first `terrain up` builds them; `terrain build` does it now.',
    );
  }
  return ok('binaries', findings.map(({ group, detail }) => `${group} ${detail}`).join(', '));
}

/** Go matters only while something is left to build. */
export function judgeGo(
  go: { readonly version: string; readonly program: string } | undefined,
  minimum: string,
  isNeeded: boolean,
): Check {
  const bad = isNeeded ? fail : warn;
  if (go === undefined) return bad('go', 'not found', goMissingSentence(minimum));
  if (compareVersions(go.version, minimum) < 0) return bad('go', go.version, goTooOldSentence(go, minimum));
  return ok('go', `${go.version} (${go.program})`);
}

export function judgeDisk(path: string, freeBytes: number, neededBytes: number): Check {
  if (freeBytes < neededBytes) return fail('disk', `${gigabytes(freeBytes)} free`, noSpaceSentence(path, freeBytes, neededBytes));
  return ok('disk', `${gigabytes(freeBytes)} free`);
}

/** The control plane settles at about 0.8 GB; a build needs about 2 GB while it links. */
export function judgeMemory(availableBytes: number): Check {
  const found = `${gigabytes(availableBytes)} available`;
  if (availableBytes < 1e9)
    return fail('memory', found, 'The control plane alone needs 1 GB: close other programs or use a larger machine.');
  if (availableBytes < 2.5e9)
    return warn('memory', found, 'Building Kubernetes takes about 2 GB: close other programs before the first start.');
  return ok('memory', found);
}

export interface PortFinding {
  readonly port: number;
  readonly isFree: boolean;
  /** Whether this home has the port for good, so that it cannot just take another. */
  readonly isFixed: boolean;
  /** Whether the cluster of this home itself holds it. */
  readonly isOurs: boolean;
  readonly sentence: string;
}

export function judgePort({ port, isFree, isFixed, isOurs, sentence }: PortFinding): Check {
  if (isOurs) return ok('port', `${port}, used by this home's cluster`);
  if (isFree) return ok('port', `${port} is free`);
  return isFixed ? fail('port', `${port} is taken`, sentence) : ok('port', `${port} is taken; a new home will use another`);
}

export function judgeHome(home: string, state: string, problem: string | undefined): Check {
  return problem === undefined ? ok('home', `${home}: ${state}`) : fail('home', `${home}: ${state}`, problem);
}

const realOnly = 'Only `--real` needs this; everything else works without.';

export function judgeRoot(userId: number | undefined): Check {
  return userId === 0 ? ok('root', 'yes') : warn('root', 'no', realOnly);
}

export function judgeApt(path: string | undefined): Check {
  return path === undefined ? warn('apt', 'not found', realOnly) : ok('apt', path);
}

export interface KernelFinding {
  /** Text of /proc/filesystems. */
  readonly filesystems: string;
  readonly hasControlGroups: boolean;
  readonly hasLoopDevices: boolean;
}

export function judgeKernel({ filesystems, hasControlGroups, hasLoopDevices }: KernelFinding): Check {
  const known = new Set(filesystems.split('\n').map((line) => line.split('\t').at(-1)?.trim()));
  const missing = [
    ...['overlay', 'ext4'].filter((name) => !known.has(name)).map((name) => `the ${name} file system`),
    ...(hasControlGroups ? [] : ['control groups']),
    ...(hasLoopDevices ? [] : ['loop devices']),
  ];
  if (missing.length > 0) return warn('kernel', `without ${missing.join(', ')}`, realOnly);
  return ok('kernel', 'overlay, ext4, loop devices and control groups');
}

/** Each group that only a real node needs, in one line. */
export function judgeRealPrograms(missing: readonly { readonly name: string; readonly coldBuildMs: number }[]): Check {
  if (missing.length === 0) return ok('real: programs', 'built');
  const minutes = Math.ceil(missing.reduce((sum, { coldBuildMs }) => sum + coldBuildMs, 0) / 60_000);
  const names = missing.map(({ name }) => name);
  return warn(
    'real: programs',
    `not built yet: ${names.join(', ')}`,
    `The first \`terrain up --real\` builds them, at most ${minutes} min; \`terrain build ${names.join(' ')}\` does it now.`,
  );
}

export function judgeRealPackages(missing: readonly string[]): Check {
  if (missing.length === 0) return ok('real: packages', 'installed');
  return warn(
    'real: packages',
    `missing: ${missing.join(', ')}`,
    `The first \`terrain up --real\` installs them; \`apt-get install --no-install-recommends ${missing.join(' ')}\` does it now.`,
  );
}

/** What a first start makes, and how much room that takes: a small Debian, the images of CDI, and both again in the home. */
export function judgeRealImages(areMade: boolean, freeBytes: number): Check {
  const name = 'real: images';
  const needed = areMade ? 2e9 : 3e9;
  if (freeBytes < needed)
    return warn(
      name,
      `${gigabytes(freeBytes)} free`,
      `The images of a real node take about ${gigabytes(needed)}: free some space.`,
    );
  if (areMade) return ok(name, 'made');
  return warn(name, 'not made yet', 'The first `terrain up --real` makes them from Debian packages in a minute or two.');
}

/** `obstacle` is the end of a sentence, as a start would say it. */
export function judgeRealSettings(obstacle: string | undefined): Check {
  const name = 'real: settings';
  return obstacle === undefined ? ok(name, 'the kernel has those that a node needs') : warn(name, obstacle, realOnly);
}

/** A node with CDI, its storage, the control plane and the examples take about 2.2 GB. */
export function judgeRealMemory(availableBytes: number): Check {
  const name = 'real: memory';
  const found = `${gigabytes(availableBytes)} available`;
  return availableBytes < 2.5e9
    ? warn(name, found, 'With `--real` about 2.5 GB are needed: close other programs.')
    : ok(name, found);
}

/** `refusal` is what a start of this home with `--real` would say. */
export function judgeRealHome(home: string, refusal: string | undefined): Check {
  return refusal === undefined ? ok('real: home', `${home} may be real`) : warn('real: home', 'simulated', refusal);
}

export interface MachineFinding {
  /** The home of the node that runs, or ran, on this machine. */
  readonly home: string | undefined;
  readonly isRunning: boolean;
  /** Why the network of the pods could not be made, as the end of a sentence. */
  readonly obstacle: string | undefined;
}

export function judgeRealMachine({ home, isRunning, obstacle }: MachineFinding): Check {
  const name = 'real: machine';
  if (isRunning) return ok(name, `the real node of ${home ?? 'another home'} runs here; there can be one`);
  if (home !== undefined)
    return warn(name, `the real node of ${home} did not end in order`, 'The next `terrain up --real` cleans up after it first.');
  return obstacle === undefined ? ok(name, 'free for a real node') : warn(name, obstacle, realOnly);
}
