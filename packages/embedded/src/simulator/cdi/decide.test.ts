import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim, DataVolume, Pod } from '../objects.ts';
import { Rehearsal } from '../rehearsal.ts';
import { noDurations, type Scenario } from '../scenario/scenario.ts';

const seconds = (value: number): number => value * 1000;
const driver = 'simulated.terrain.dev';

/** A stage with a class, its driver, and one DataVolume. */
function stage(
  source: object,
  more: { scenario?: Partial<Scenario>; dataVolume?: object; className?: string; binding?: string } = {},
): Rehearsal {
  const rehearsal = new Rehearsal(more.scenario);
  rehearsal.create('StorageClass', {
    metadata: { name: 'fast' },
    provisioner: driver,
    ...(more.binding === undefined ? {} : { volumeBindingMode: more.binding }),
  });
  rehearsal.create('CSIDriver', { metadata: { name: driver } });
  rehearsal.create('DataVolume', {
    metadata: { name: 'disk', labels: { team: 'red' }, annotations: { note: 'kept' }, ...more.dataVolume },
    spec: { source, storage: { storageClassName: more.className ?? 'fast', resources: { requests: { storage: '1Gi' } } } },
  });
  return rehearsal;
}

const http = (switches = ''): object => ({
  http: { url: `https://example.com/disk.qcow2${switches === '' ? '' : `?sim=${switches}`}` },
});
const phaseOf = (object: Record<string, unknown>): string => (object as unknown as DataVolume).status?.phase ?? '';
const disk = (rehearsal: Rehearsal): DataVolume => rehearsal.find<DataVolume>('DataVolume', 'disk')!;
const claim = (rehearsal: Rehearsal): Claim => rehearsal.find<Claim>('PersistentVolumeClaim', 'disk')!;
const condition = (rehearsal: Rehearsal, type: string): object => {
  const {
    status,
    reason = '',
    message = '',
  } = disk(rehearsal).status?.conditions?.find((one) => one.type === type) ?? { status: '' };
  return { status, reason, message };
};
const phases = (rehearsal: Rehearsal): readonly string[] =>
  rehearsal.sequence('DataVolume', 'disk', phaseOf).map(({ value }) => value);

test('an HTTP import goes through the phases seen, two pods included (B.3)', () => {
  const rehearsal = stage(http());
  rehearsal.advance(seconds(20));
  assert.deepEqual(phases(rehearsal), [
    '',
    'Pending',
    'ImportScheduled',
    'ImportInProgress',
    'ImportScheduled',
    'ImportInProgress',
    'Succeeded',
  ]);
  assert.equal(disk(rehearsal).status?.restartCount, undefined);
  assert.deepEqual(condition(rehearsal, 'Ready'), { status: 'True', reason: '', message: '' });
  assert.deepEqual(condition(rehearsal, 'Running'), { status: 'False', reason: 'Completed', message: 'Import Complete' });
  assert.deepEqual(condition(rehearsal, 'Bound'), { status: 'True', reason: 'Bound', message: 'PVC disk Bound' });
});

test('the claim carries all labels and annotations of the DataVolume and is owned by it (1.1)', () => {
  const rehearsal = stage(http());
  rehearsal.advance(0);
  const { labels, annotations, ownerReferences } = claim(rehearsal).metadata;
  assert.equal(labels?.team, 'red');
  assert.equal(labels?.['terrain.dev/simulated'], 'true');
  assert.equal(annotations?.note, 'kept');
  assert.deepEqual(
    ownerReferences?.map(({ kind, name, controller }) => [kind, name, controller]),
    [['DataVolume', 'disk', true]],
  );
  assert.equal(claim(rehearsal).spec.dataSourceRef?.kind, 'VolumeImportSource');
  assert.equal(claim(rehearsal).spec.resources?.requests?.storage, '1138166334', 'the overhead of 6 % is added (B.5)');
});

test('the claim is Pending until the import is done, and Bound 0.1 to 0.8 s after the DataVolume says Succeeded (0.4)', () => {
  const rehearsal = stage(http());
  rehearsal.advance(seconds(20));
  const succeeded = rehearsal.sequence('DataVolume', 'disk', phaseOf).find(({ value }) => value === 'Succeeded')!.atSeconds;
  const bound = rehearsal
    .sequence('PersistentVolumeClaim', 'disk', (object) => (object as unknown as Claim).status?.phase)
    .find(({ value }) => value === 'Bound')!.atSeconds;
  assert.ok(bound - succeeded >= 0.1 && bound - succeeded <= 0.8, `${bound - succeeded} s`);
});

test('nothing of an import is left when it is done: no pod, no temporary claim', () => {
  const rehearsal = stage(http());
  rehearsal.advance(seconds(3));
  assert.equal(rehearsal.all('Pod').length, 1);
  assert.equal(rehearsal.all('PersistentVolumeClaim').length, 3, 'target, temporary and scratch');
  rehearsal.advance(seconds(20));
  assert.equal(rehearsal.all('Pod').length, 0);
  assert.equal(rehearsal.all('PersistentVolumeClaim').length, 1);
  assert.deepEqual(rehearsal.egress.of('https://example.com/disk.qcow2').downloads, 1);
  const pods = rehearsal.history.flatMap(({ kind, object }) =>
    kind === 'Pod' && object !== undefined ? [object.metadata.uid] : [],
  );
  assert.equal(new Set(pods).size, 2, 'one that asks for scratch space, one that downloads');
});

test('a failing download never fails: the phase stays ImportInProgress and Running flips (1.4, B.4)', () => {
  const rehearsal = stage(http('http:404'));
  rehearsal.advance(seconds(180));
  const text = 'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found';
  assert.deepEqual(phases(rehearsal), ['', 'Pending', 'ImportScheduled', 'ImportInProgress']);
  assert.deepEqual([disk(rehearsal).status?.restartCount, disk(rehearsal).status?.progress], [5, 'N/A']);
  assert.deepEqual(condition(rehearsal, 'Running'), { status: 'False', reason: 'Error', message: text });
  const flips = rehearsal.sequence(
    'DataVolume',
    'disk',
    (object) => (object as unknown as DataVolume).status?.conditions?.find(({ type }) => type === 'Running')?.reason,
  );
  assert.equal(flips.filter(({ value }) => value === 'Pod is running').length, 6);
  assert.equal(claim(rehearsal).status?.phase ?? 'Pending', 'Pending');
  assert.equal(rehearsal.egress.of('https://example.com/disk.qcow2?sim=http:404').downloads, 6);
  assert.equal(
    rehearsal.events.filter(({ about, reason, message }) => about === 'disk' && reason === 'Error' && message === text).length,
    6,
  );
});

test('Ready says TransferRunning while the pod runs and nothing else otherwise (1.3)', () => {
  const rehearsal = stage(http());
  rehearsal.advance(seconds(20));
  const ready = rehearsal.sequence('DataVolume', 'disk', (object) => {
    const found = (object as unknown as DataVolume).status?.conditions?.find(({ type }) => type === 'Ready');
    return `${found?.status ?? ''} ${found?.reason ?? ''}`;
  });
  assert.deepEqual(
    ready.map(({ value }) => value),
    [' ', 'False ', 'False TransferRunning', 'False ', 'False TransferRunning', 'True '],
  );
});

test('a wrong checksum ends in phase Failed, without pod and scratch space, the temporary claim kept (B.4)', () => {
  const rehearsal = stage(http('checksum'));
  rehearsal.advance(seconds(30));
  assert.equal(phaseOf(disk(rehearsal) as never), 'Failed');
  assert.match(JSON.stringify(condition(rehearsal, 'Running')), /ChecksumError.*checksum mismatch/);
  assert.equal(claim(rehearsal).metadata.annotations?.['cdi.kubevirt.io/storage.import.fatalError'], 'true');
  assert.equal(rehearsal.all('Pod').length, 0);
  assert.deepEqual(
    rehearsal
      .all<Claim>('PersistentVolumeClaim')
      .map(({ metadata }) => metadata.name)
      .sort(),
    ['disk', `prime-${claim(rehearsal).metadata.uid}`],
  );
});

test('a Lost claim is the other way to Failed (1.4)', () => {
  const rehearsal = stage(http('lost'));
  rehearsal.advance(seconds(20));
  assert.deepEqual(phases(rehearsal).slice(-2), ['Succeeded', 'Failed']);
  assert.deepEqual(condition(rehearsal, 'Bound'), { status: 'False', reason: 'ClaimLost', message: 'Claim Lost' });
});

test('a refused claim leaves the DataVolume Pending with the quota in Bound and Ready, and it goes on when there is room (B.4)', () => {
  const rehearsal = stage(http());
  const words = 'persistentvolumeclaims "disk" is forbidden: exceeded quota: q';
  rehearsal.refuse = (kind) => (kind === 'PersistentVolumeClaim' ? words : undefined);
  rehearsal.advance(seconds(5));
  assert.equal(phaseOf(disk(rehearsal) as never), 'Pending');
  for (const type of ['Bound', 'Ready'])
    assert.deepEqual(condition(rehearsal, type), { status: 'False', reason: 'ErrExceededQuota', message: words });
  rehearsal.refuse = () => undefined;
  rehearsal.advance(seconds(90));
  assert.equal(phaseOf(disk(rehearsal) as never), 'Succeeded');
});

test('a pod that is refused keeps the import from starting, not from ever working (7.2.7)', () => {
  const rehearsal = stage(http());
  rehearsal.refuse = (kind) => (kind === 'Pod' ? 'exceeded quota' : undefined);
  rehearsal.advance(seconds(30));
  assert.notEqual(phaseOf(disk(rehearsal) as never), 'Succeeded');
  assert.equal(rehearsal.egress.summary().length, 0);
  rehearsal.refuse = () => undefined;
  rehearsal.advance(seconds(120));
  assert.equal(phaseOf(disk(rehearsal) as never), 'Succeeded');
});

test('a missing Secret is waited for, and the import starts when it comes (B.4)', () => {
  const rehearsal = stage({ http: { url: 'https://example.com/x', secretRef: 'keys' } });
  rehearsal.advance(seconds(60));
  assert.equal(phaseOf(disk(rehearsal) as never), 'ImportScheduled');
  assert.deepEqual(condition(rehearsal, 'Running'), {
    status: 'False',
    reason: 'CreateContainerConfigError',
    message: 'secret "keys" not found',
  });
  assert.equal(rehearsal.egress.summary().length, 0);
  rehearsal.create('Secret', { metadata: { name: 'keys' } });
  rehearsal.advance(100);
  assert.equal(phaseOf(disk(rehearsal) as never), 'ImportInProgress');
  rehearsal.advance(seconds(20));
  assert.equal(phaseOf(disk(rehearsal) as never), 'Succeeded');
});

test('a class that does not exist leaves the DataVolume without claim and phase (1.3)', () => {
  const rehearsal = stage(http(), { className: 'absent' });
  rehearsal.advance(seconds(5));
  const message = 'PVC spec is missing accessMode and no storageClass to choose profile';
  assert.deepEqual(
    [phaseOf(disk(rehearsal) as never), condition(rehearsal, 'Bound')],
    ['', { status: 'False', reason: 'ErrClaimNotValid', message }],
  );
  assert.equal(rehearsal.find('PersistentVolumeClaim', 'disk'), undefined);
});

test('without a CSI driver the claim is Bound before a byte has arrived: the legacy path (1.5)', () => {
  const rehearsal = stage(http(), { dataVolume: { annotations: { 'cdi.kubevirt.io/storage.usePopulator': 'false' } } });
  rehearsal.advance(100);
  assert.equal(claim(rehearsal).status?.phase, 'Bound');
  assert.equal(phaseOf(disk(rehearsal) as never), 'PVCBound');
  rehearsal.advance(seconds(20));
  assert.deepEqual(phases(rehearsal).slice(-5), [
    'ImportScheduled',
    'ImportInProgress',
    'ImportScheduled',
    'ImportInProgress',
    'Succeeded',
  ]);
});

test('a class that waits for a consumer keeps the DataVolume in PendingPopulation, unless told otherwise (1.2, B.3)', () => {
  const waiting = stage(http(), { binding: 'WaitForFirstConsumer' });
  waiting.advance(seconds(400));
  assert.equal(phaseOf(disk(waiting) as never), 'PendingPopulation');
  const immediate = stage(http(), {
    binding: 'WaitForFirstConsumer',
    dataVolume: { annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': '' } },
  });
  immediate.advance(seconds(20));
  assert.equal(phaseOf(disk(immediate) as never), 'Succeeded');
});

test('deleted in mid-import, the pod outlives the DataVolume a little (B.3)', () => {
  const rehearsal = stage(http('import:60s'));
  rehearsal.advance(seconds(20));
  const [pod] = rehearsal.all<Pod>('Pod');
  assert.equal(pod?.status?.containerStatuses?.[0]?.state?.running !== undefined, true);
  rehearsal.delete('DataVolume', 'disk');
  rehearsal.advance(100);
  assert.equal(rehearsal.find('DataVolume', 'disk'), undefined);
  assert.equal(rehearsal.all('Pod').length, 1, 'the container is still ending');
  rehearsal.advance(seconds(2));
  assert.equal(rehearsal.all('Pod').length, 0);
});

test('an instant import needs no pod, and costs seven writes', () => {
  const rehearsal = stage(http(), { scenario: { durations: noDurations } });
  rehearsal.advance(0);
  assert.deepEqual(phases(rehearsal), ['', 'Succeeded']);
  assert.equal(claim(rehearsal).status?.phase, 'Bound');
  assert.equal(
    rehearsal.history.some(({ kind }) => kind === 'Pod'),
    false,
  );
  assert.equal(rehearsal.writes, 7);
  assert.deepEqual(rehearsal.events, []);
  assert.equal(rehearsal.egress.of('https://example.com/disk.qcow2').bytes, 2 ** 30);
});

test('at another speed the same things happen, sooner', () => {
  const slow = stage(http('http:404'));
  slow.advance(seconds(180));
  const fast = stage(http('http:404'), { scenario: { speed: 20 } });
  fast.advance(seconds(9));
  assert.equal(disk(fast).status?.restartCount, disk(slow).status?.restartCount);
  assert.deepEqual(phases(fast), phases(slow));
});

test('what is at rest stays at rest: no writes while nothing changes', () => {
  for (const source of [http(), http('stuck'), http('stall:42'), http('checksum')]) {
    const rehearsal = stage(source);
    rehearsal.advance(seconds(60));
    const before = rehearsal.writes;
    rehearsal.advance(seconds(600));
    assert.equal(rehearsal.writes, before, JSON.stringify(source));
  }
});

test('a source the simulator does not play says so', () => {
  const rehearsal = stage({ upload: {} });
  rehearsal.advance(seconds(5));
  assert.match(JSON.stringify(condition(rehearsal, 'Bound')), /NotSimulated.*The simulator plays the sources http/);
});

test('a switch that does not exist is reported on the DataVolume', () => {
  const rehearsal = stage(http('htp:404'));
  rehearsal.advance(0);
  assert.match(rehearsal.events.find(({ reason }) => reason === 'UnknownSwitch')?.message ?? '', /There is no switch "htp"/);
});

test('a simulator that was stopped for a minute skips nothing: it goes on with what it had not shown', () => {
  const calm = stage(http());
  calm.advance(seconds(20));
  const busy = stage(http());
  for (let round = 0; round < 20; round++) {
    busy.advance(0);
    busy.pause(seconds(60));
  }
  assert.deepEqual(phases(busy), phases(calm));
  assert.equal(busy.egress.of('https://example.com/disk.qcow2').downloads, 1);
});
