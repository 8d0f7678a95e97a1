import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubevirtMachine } from '#platform/kubevirt.ts';
import { aKubevirtMachine, aMachine, anInstance, aSnapshot, nowMs } from '#testing/machine-world.ts';
import { powerState } from './power.ts';
import type { Snapshot } from './snapshot.ts';

type Status = NonNullable<KubevirtMachine['status']>;
const up: Status = { printableStatus: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const stopped = aMachine({ spec: { powerState: 'Stopped' } });
const agent = aMachine({ spec: { guestReadiness: { mode: 'Agent' } } });
const tcp = aMachine({ spec: { guestReadiness: { mode: 'TCP', port: 22 } } });
const since = (machine: typeof agent, minutes: number) => ({
  ...machine,
  status: {
    conditions: [
      {
        type: 'Running',
        status: 'True' as const,
        reason: 'Running',
        message: '',
        lastTransitionTime: new Date(nowMs - minutes * 60_000).toISOString(),
      },
    ],
  },
});
const printed = (printableStatus: string, rest: Partial<Status> = {}): Status => ({ printableStatus, ...rest });

const cases: Record<string, { given: Partial<Snapshot>; strategy?: string; status: Status; want: string }> = {
  'a new machine reads Stopped before KubeVirt has looked': { given: {}, status: printed('Stopped'), want: 'Starting Waiting' },
  'Running without Ready is a moment too early': { given: {}, status: printed('Running'), want: 'Starting Waiting' },
  'running and ready': { given: {}, status: up, want: 'Running GuestReady' },
  'migrating is running': { given: {}, status: { ...up, printableStatus: 'Migrating' }, want: 'Running GuestReady' },
  'no node has room': { given: {}, status: printed('ErrorUnschedulable'), want: 'Unschedulable Waiting' },
  'an image cannot be pulled': { given: {}, status: printed('ErrImagePull'), want: 'StartFailed Waiting' },
  'the disk is not found': { given: {}, status: printed('ErrorPvcNotFound'), want: 'StartFailed Waiting' },
  'paused by hand': { given: {}, status: printed('Paused'), want: 'GuestPaused Waiting' },
  'a pause that only the gate of its pod tells of yet, where the port was answering': {
    given: { machine: since(tcp, 1) },
    status: printed('Running', { conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }] }),
    want: 'GuestPaused Waiting',
  },
  'starts again after a failure': {
    given: {},
    status: printed('Starting', { startFailure: { consecutiveFailCount: 2 } }),
    want: 'CrashLooping Waiting',
  },
  'a change that waits for a restart': {
    given: {},
    status: {
      ...up,
      conditions: [...(up.conditions ?? []), { type: 'RestartRequired', status: 'True', message: 'memory updated' }],
    },
    want: 'RestartRequired GuestReady',
  },
  'the agent has not connected': { given: { machine: agent }, status: up, want: 'Running GuestStarting' },
  'the agent has connected': {
    given: { machine: agent, instance: anInstance({ conditions: [{ type: 'AgentConnected', status: 'True' }] }) },
    status: up,
    want: 'Running GuestReady',
  },
  'the agent has not connected in all this time': {
    given: { machine: since(agent, 11) },
    status: up,
    want: 'Running AgentMissing',
  },
  'a port that does not answer yet': {
    given: { machine: since(tcp, 1) },
    status: printed('Running'),
    want: 'Running GuestStarting',
  },
  'a port that answers': { given: { machine: since(tcp, 1) }, status: up, want: 'Running GuestReady' },
  'a port that never answered': { given: { machine: since(tcp, 11) }, status: printed('Running'), want: 'Running PortClosed' },
  'stopped as asked': { given: { machine: stopped }, strategy: 'Halted', status: printed('Stopped'), want: 'Stopped Stopped' },
  'Stopped is also shown while its guest still ends': {
    given: { machine: stopped, instance: anInstance({ phase: 'Running' }) },
    strategy: 'Halted',
    status: printed('Stopped'),
    want: 'Stopping Stopping',
  },
  'a guest that was cut off has ended too': {
    given: { machine: stopped, instance: anInstance({ phase: 'Failed' }) },
    strategy: 'Halted',
    status: printed('Stopped'),
    want: 'Stopped Stopped',
  },
  'still told to run': { given: { machine: stopped }, strategy: 'Always', status: up, want: 'Stopping Stopping' },
};
for (const [name, { given, strategy = 'Always', status, want }] of Object.entries(cases))
  test(name, () => {
    const { running, guest } = powerState(aSnapshot(given), aKubevirtMachine(strategy, status));
    assert.equal(`${running.reason} ${guest.reason}`, want);
  });

test('what KubeVirt said for a moment about a failed start is still told when it only counts', () => {
  const status = printed('CrashLoopBackOff', { startFailure: { consecutiveFailCount: 3 } });
  const { running } = powerState(aSnapshot({ startProblem: 'LibvirtError(Code=1)' }), aKubevirtMachine('Always', status));
  assert.equal(running.message, '3 starts failed, KubeVirt tries again: LibvirtError(Code=1)');
});

test('the end of the patience with a guest is a time to come back at', () => {
  const { atMs } = powerState(aSnapshot({ machine: since(agent, 4) }), aKubevirtMachine('Always', up));
  assert.equal(atMs, nowMs + 6 * 60_000);
});
