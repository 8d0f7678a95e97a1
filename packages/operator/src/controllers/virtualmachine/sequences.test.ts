/** What KubeVirt 1.9 really showed, flips and flashes included, and what a person is told meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VirtualMachineStatus } from '@terrain/api';
import type { KubevirtInstance, KubevirtMachine } from '#platform/kubevirt.ts';
import { aKubevirtMachine, aMachine, anInstance, aRootDisk, aSnapshot, nowMs } from '#testing/machine-world.ts';
import { decide } from './decide.ts';
import { QuietTime } from './quiet-time.ts';
import type { Snapshot } from './snapshot.ts';
import { statusOf } from './status.ts';

type MachineStatus = NonNullable<KubevirtMachine['status']>;
type InstanceStatus = NonNullable<KubevirtInstance['status']>;
type Conditions = NonNullable<MachineStatus['conditions']>;

/** One moment, in seconds after the machine appeared in KubeVirt. */
interface Moment {
  readonly at: number;
  readonly printable: string;
  readonly conditions?: Conditions;
  readonly failures?: number;
  readonly instance?: InstanceStatus;
  readonly created?: boolean;
  /** What the pass remembers of a flash it was told of. */
  readonly startProblem?: string;
  readonly disk?: 'Succeeded' | 'CloneScheduled' | 'CloneInProgress';
}

const is = (type: string, status: string, reason = '', message = '') => ({ type, status, reason, message });
const notReady = (reason: string): Conditions => [is('Ready', 'False', reason, 'not yet')];
const ready: Conditions = [is('Ready', 'True')];
const words = 'server error. command SyncVMI failed: "LibvirtError(Code=1)"';
const flash = is('Synchronized', 'False', 'Synchronizing with the Domain failed.', words);

/** `count` retries of a start that fails: Starting, the reason for a fifth of a second, the back-off. */
const crashLoop = (count: number): Moment[] =>
  Array.from({ length: count }, (_, failures): Moment[] => {
    const at = failures * 60;
    const startProblem = failures === 0 ? {} : { startProblem: words };
    return [
      { at, printable: 'Starting', failures, conditions: notReady('GuestNotRunning'), ...startProblem },
      { at: at + 5, printable: 'Starting', failures, conditions: [...notReady('GuestNotRunning'), flash], startProblem: words },
      { at: at + 5.2, printable: 'Starting', failures, conditions: notReady('GuestNotRunning'), startProblem: words },
      { at: at + 6, printable: 'CrashLoopBackOff', failures: failures + 1, startProblem: words },
      { at: at + 9, printable: 'CrashLoopBackOff', failures: failures + 1, startProblem: words },
    ];
  }).flat();

const turns = (count: number, from: number, each: number, ...words: readonly Omit<Moment, 'at'>[]): Moment[] =>
  Array.from({ length: count }, (_, turn) => ({ at: from + turn * each, ...words[turn % words.length]! }));

const running = 'True Running, Running: the machine runs';
const starting = 'False Starting, Starting: KubeVirt starts the machine; if it lasts, the events of its pod say why';

const cases: Record<string, { stopped?: true; moments: readonly Moment[]; want: readonly string[] }> = {
  'a start takes one word': {
    moments: [
      { at: 0, printable: '' },
      { at: 0.1, printable: 'Stopped', conditions: notReady('VMINotExists') },
      { at: 0.2, printable: 'Starting', conditions: notReady('VMIConditionMissing'), instance: { phase: 'Pending' } },
      { at: 0.4, printable: 'Starting', conditions: notReady('GuestNotRunning'), instance: { phase: 'Scheduling' } },
      { at: 0.5, printable: 'Starting', conditions: notReady('GuestNotRunning'), instance: { phase: 'Scheduled' } },
      { at: 0.6, printable: 'Running', conditions: notReady('GuestNotRunning'), instance: { phase: 'Running' } },
      { at: 0.7, printable: 'Running', conditions: ready, instance: { phase: 'Running' } },
    ],
    want: [running],
  },
  'a slow start takes two': {
    moments: [
      { at: 0.1, printable: 'Stopped', conditions: notReady('VMINotExists') },
      { at: 0.3, printable: 'Starting', conditions: notReady('VMIConditionMissing') },
      { at: 3.2, printable: 'Starting', conditions: notReady('GuestNotRunning') },
      { at: 5.1, printable: 'Running', conditions: notReady('GuestNotRunning') },
      { at: 5.2, printable: 'Running', conditions: ready },
    ],
    want: [starting, running],
  },
  'paused and let go': {
    moments: [
      { at: 0, printable: 'Running', conditions: ready },
      { at: 10, printable: 'Running', conditions: notReady('ReadinessGatesNotReady') },
      {
        at: 10.3,
        printable: 'Paused',
        conditions: [is('Paused', 'True', 'PausedByUser'), ...notReady('ReadinessGatesNotReady')],
      },
      { at: 20, printable: 'Running', conditions: notReady('ReadinessGatesNotReady') },
      { at: 20.5, printable: 'Running', conditions: ready },
    ],
    want: [running, 'False GuestPaused, Paused: the machine was paused in KubeVirt; unpause it there (virtctl unpause)', running],
  },
  'a restart': {
    moments: [
      { at: 0, printable: 'Running', conditions: ready },
      { at: 10, printable: 'Stopping', conditions: notReady('PodTerminating'), instance: { phase: 'Running' } },
      { at: 15, printable: 'Stopped', conditions: notReady('GuestNotRunning'), instance: { phase: 'Failed' } },
      { at: 24, printable: 'Starting', conditions: notReady('VMIConditionMissing'), instance: { phase: 'Pending' } },
      { at: 29, printable: 'Running', conditions: ready, instance: { phase: 'Running' } },
    ],
    want: [running, 'False Stopping, Stopping: KubeVirt ends the machine, and starts it again', starting, running],
  },
  'stopped as asked: Stopped is said long before the guest is gone, and told when it is': {
    stopped: true,
    moments: [
      { at: 0, printable: 'Stopping', conditions: notReady('PodTerminating'), instance: { phase: 'Running' }, created: true },
      { at: 1.8, printable: 'Stopping', conditions: notReady('PodTerminating'), instance: { phase: 'Running' }, created: true },
      { at: 8, printable: 'Stopped', conditions: notReady('GuestNotRunning'), instance: { phase: 'Succeeded' }, created: true },
      { at: 11, printable: 'Stopped', conditions: notReady('VMINotExists') },
    ],
    want: ['False Stopping, Stopping: the machine shuts down', 'False Stopped, Stopped: stopped, as powerState asks'],
  },
  'starts that fail: one word for each': {
    moments: crashLoop(4),
    want: [
      starting,
      `False StartFailed, Starting: KubeVirt could not start the machine: ${words}`,
      `False CrashLooping, CrashLoopBackOff: 1 start failed, KubeVirt tries again: ${words}`,
      `False CrashLooping, CrashLoopBackOff: 2 starts failed, KubeVirt tries again: ${words}`,
      `False CrashLooping, CrashLoopBackOff: 3 starts failed, KubeVirt tries again: ${words}`,
      `False CrashLooping, CrashLoopBackOff: 4 starts failed, KubeVirt tries again: ${words}`,
    ],
  },
  'an image that cannot be pulled: one word, however often the two take turns': {
    moments: turns(
      20,
      3,
      5,
      { printable: 'ErrImagePull', conditions: [is('Synchronized', 'False', 'ErrImagePull', 'failed to pull')] },
      { printable: 'ImagePullBackOff', conditions: [is('Synchronized', 'False', 'ImagePullBackOff', 'Back-off pulling')] },
    ),
    want: [
      "False StartFailed, ImagePullBackOff: KubeVirt cannot pull an image the machine's pod needs; the events of the pod name it",
    ],
  },
  'no node has room': {
    moments: turns(5, 1.5, 30, {
      printable: 'ErrorUnschedulable',
      conditions: [is('PodScheduled', 'False', 'Unschedulable', '0/1 nodes are available')],
    }),
    want: ['False Unschedulable, ErrorUnschedulable: no node takes the machine: 0/1 nodes are available'],
  },
  'a root disk made anew under a machine: KubeVirt says Provisioning and DataVolumeError in turns, we say what the disk does': {
    moments: [
      ...turns(
        12,
        0,
        7,
        { printable: 'Provisioning', disk: 'CloneInProgress' },
        { printable: 'DataVolumeError', disk: 'CloneInProgress' },
        { printable: 'Stopped', disk: 'CloneInProgress' },
      ),
      { at: 90, printable: 'Starting', conditions: notReady('GuestNotRunning') },
      { at: 95, printable: 'Running', conditions: ready },
    ],
    want: ['False Waiting, Provisioning: clones root disk DISK', running],
  },
};

for (const [name, { stopped, moments, want }] of Object.entries(cases))
  test(name, () => {
    const machine = aMachine(stopped === true ? { spec: { powerState: 'Stopped' } } : {});
    const quiet = new QuietTime();
    const told: string[] = [];
    let status: VirtualMachineStatus | undefined;
    /** One pass: what is written, and when to come back. */
    const pass = (moment: Moment, atMs: number): number | undefined => {
      const snapshot: Snapshot = {
        ...aSnapshot({
          machine: { ...machine, ...(status === undefined ? {} : { status }) },
          disks: [aRootDisk(machine, { phase: moment.disk ?? 'Succeeded' })],
          instance: moment.instance === undefined ? undefined : anInstance(moment.instance),
          startProblem: moment.startProblem,
        }),
        nowMs: nowMs + atMs,
        kubevirt: kubevirtOf(moment, stopped === true ? 'Halted' : 'Always'),
      };
      const { status: next } = statusOf(snapshot, { ...decide(snapshot), kubevirt: snapshot.kubevirt });
      const heldMs = quiet.heldMs('lab/web', status, next, nowMs + atMs);
      if (heldMs > 0) return atMs + heldMs;
      if (JSON.stringify(next) !== JSON.stringify(status)) told.push(lineOf(next));
      status = next;
      return undefined;
    };
    for (const [index, moment] of moments.entries()) {
      let wakeMs = pass(moment, moment.at * 1000);
      const nextMs = (moments[index + 1]?.at ?? 10_000) * 1000;
      while (wakeMs !== undefined && wakeMs < nextMs) wakeMs = pass(moment, wakeMs);
    }
    assert.deepEqual(told, want);
  });

function kubevirtOf({ printable, conditions, failures = 0, created }: Moment, strategy: string): KubevirtMachine {
  return aKubevirtMachine(strategy, {
    ...(printable === '' ? {} : { printableStatus: printable }),
    ...(conditions === undefined ? {} : { conditions }),
    ...(failures === 0 ? {} : { startFailure: { consecutiveFailCount: failures } }),
    ...(created === undefined ? {} : { created }),
  });
}

function lineOf({ conditions, kubevirt }: VirtualMachineStatus): string {
  const found = conditions?.find(({ type }) => type === 'Running');
  const message = found?.message.replace(/root disk \S+-root/, 'root disk DISK');
  return `${found?.status} ${found?.reason}, ${kubevirt?.printableStatus}: ${message}`;
}
