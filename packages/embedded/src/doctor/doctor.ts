import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism, freemem } from 'node:os';
import { join } from 'node:path';
import { defaultCacheDirectory, entryName, findDamage } from '#binary/cache.ts';
import { freeBytes } from '#binary/disk-space.ts';
import { missingGroups } from '#binary/ensure.ts';
import { findGo, findOnPath, goDirective } from '#binary/go-toolchain.ts';
import { type BinaryGroup, groups, kubernetesVersion, moduleRoot, realGroupNames, usualGroupNames } from '#binary/group.ts';
import { preferredPort } from '#cluster/port.ts';
import { clusterStatus } from '#cluster/status.ts';
import { homeLayout } from '#home/layout.ts';
import { portTakenSentence } from '#home/port-holder.ts';
import { judgeHome as judgeRecord, migrations, platformRefusal, readRecord } from '#home/record.ts';
import { lockOwner } from '#process/file-lock.ts';
import { isPortFree } from '#process/port.ts';
import { podBridgeObstacle } from '#real/machine/link.ts';
import { machineLock, readMachineRecord } from '#real/machine/record.ts';
import { settingsObstacle } from '#real/machine/sysctl.ts';
import { missingPackages } from '#real/packages.ts';
import { hasDebianRoot } from '#real/platform/debian-root.ts';
import {
  type CacheFinding,
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

export interface DoctorOptions {
  readonly home: string;
  readonly cacheDirectory?: string | undefined;
}

/** Looks at everything a start depends on. Changes nothing. */
export async function doctor({ home, cacheDirectory = defaultCacheDirectory() }: DoctorOptions): Promise<readonly Check[]> {
  const findings = await Promise.all(usualGroupNames.map((name) => inspectCache(groups[name], cacheDirectory)));
  const isBuildNeeded = findings.some(({ state }) => state !== 'whole');
  const go = await findGo().catch(() => undefined);
  const minimum = goDirective(await readFile(join(moduleRoot, groups.core.module, 'go.mod'), 'utf8'));
  const disk = go?.buildCache ?? cacheDirectory;
  const [homeCheck, portCheck] = await inspectHome(home);
  return [
    judgePlatform(`${process.platform}/${process.arch}`),
    judgeBinaries(findings),
    judgeGo(go, minimum, isBuildNeeded),
    judgeDisk(disk, await freeBytes(disk), isBuildNeeded ? groups.core.diskBytes : 1e9),
    judgeMemory(await availableMemory()),
    { name: 'processors', state: 'ok', found: String(availableParallelism()), fix: undefined },
    homeCheck,
    portCheck,
    judgeRoot(process.getuid?.()),
    judgeApt(findOnPath('apt-get', process.env.PATH ?? '')),
    judgeKernel({
      filesystems: await readFile('/proc/filesystems', 'utf8').catch(() => ''),
      hasControlGroups: existsSync('/sys/fs/cgroup/cgroup.controllers') || existsSync('/sys/fs/cgroup/memory'),
      hasLoopDevices: existsSync('/dev/loop-control') || existsSync('/dev/loop0'),
    }),
    ...(await inspectRealNode(home, cacheDirectory)),
  ];
}

async function inspectRealNode(home: string, cacheDirectory: string): Promise<Check[]> {
  if (process.platform !== 'linux') return [];
  const missing = await missingGroups(realGroupNames, { cacheDirectory });
  const owner = lockOwner(machineLock);
  return [
    judgeRealPrograms(missing.map((name) => groups[name])),
    judgeRealPackages(missingPackages()),
    judgeRealImages(hasDebianRoot({ cacheDirectory }), await freeBytes(cacheDirectory)),
    judgeRealMemory(await availableMemory()),
    judgeRealSettings(await settingsObstacle()),
    judgeRealHome(home, await realHomeRefusal(home)),
    judgeRealMachine({
      home: (await readMachineRecord())?.home,
      isRunning: owner !== undefined,
      // Without the program that tells of networks there is nothing to look at yet.
      obstacle: await podBridgeObstacle().catch(() => undefined),
    }),
  ];
}

/** Why this home could not be started with `--real`. */
async function realHomeRefusal(home: string): Promise<string | undefined> {
  const layout = homeLayout(home);
  const record = await readRecord(layout);
  const before = typeof record === 'string' ? undefined : record.platform;
  return platformRefusal({ ...layout, before, asked: 'real', hasData: existsSync(join(layout.data, 'member')) })?.message;
}

/** Reads every byte of the cached programs: this is the one place that does. */
async function inspectCache(group: BinaryGroup, cacheDirectory: string): Promise<CacheFinding> {
  const directory = join(cacheDirectory, 'binaries', await entryName(group));
  if (!existsSync(directory)) return { group: group.name, state: 'absent', detail: '' };
  const damage = await findDamage(directory, group, 'full');
  return { group: group.name, state: damage === undefined ? 'whole' : 'damaged', detail: damage ?? `in ${directory}` };
}

async function inspectHome(home: string): Promise<[Check, Check]> {
  const layout = homeLayout(home);
  const status = await clusterStatus(home);
  const record = await readRecord(layout);
  const verdict = judgeRecord({
    home: layout.home,
    record,
    hasContent: existsSync(layout.data) || existsSync(layout.pki),
    kubernetes: kubernetesVersion,
    migrationSteps: Object.keys(migrations).map(Number),
  });
  const recorded = typeof record === 'string' ? undefined : record.port;
  const port = recorded ?? preferredPort();
  const isFree = await isPortFree(port);
  return [
    judgeHome(layout.home, status.state, verdict.kind === 'refuse' ? verdict.error.message : status.problem),
    judgePort({
      port,
      isFree,
      isFixed: recorded !== undefined,
      isOurs: status.pid !== undefined && status.port === port,
      sentence: isFree ? '' : await portTakenSentence(port, layout.home),
    }),
  ];
}

/** What programs may still take without swapping, which on Linux is more than what lies idle. */
async function availableMemory(): Promise<number> {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'utf8').catch(() => ''))?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}
