import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VMDiskImage, VMDiskImageStatus } from '@terrain/api';
import type { Override } from '@terrain/api/testing';
import { Registry } from '@terrain/runtime';
import { decide } from '#controllers/vmdiskimage/decide.ts';
import { eventOf } from '#controllers/vmdiskimage/events.ts';
import { aClaim, aCut, ago, anEntry, anImage, aSnapshot, aVolume, cutNameOf, synced, syncing } from '#testing/image-world.ts';
import { SyncMetrics } from './sync-metrics.ts';

type Given = NonNullable<Parameters<typeof aSnapshot>[0]>;

const statused = (status: VMDiskImageStatus) => ({ status }) as Override<VMDiskImage>;
const held: Given = { entry: anEntry() };
const failing = (message: string): Given => ({
  ...held,
  image: statused(syncing({ attempt: { dataVolumeUID: 'volume-1' } })),
  dataVolumes: [aVolume({ running: { status: 'False', reason: 'Error', message } })],
});
const notFound = 'Unable to connect to http data source: expected status code 200, got 404. Status: 404 Not Found';
const unavailable = 'Unable to connect to http data source: expected status code 200, got 503. Status: 503 Service Unavailable';

const cases: Record<string, { given: Given; wanted: Record<string, number> }> = {
  'an image that is admitted: how long it waited': {
    given: { ...held, image: { metadata: { creationTimestamp: ago(70) } } },
    wanted: { terrain_sync_wait_seconds_sum: 60, terrain_sync_wait_seconds_count: 1 },
  },
  'a download that succeeds: its duration and the size of its disk': {
    given: {
      ...held,
      image: statused(syncing({ attempt: { dataVolumeUID: 'volume-1', volumeSnapshot: cutNameOf(1) } })),
      dataVolumes: [aVolume({ phase: 'Succeeded' })],
      claims: [aClaim()],
      snapshots: [aCut()],
    },
    wanted: {
      'terrain_sync_attempts_total{result="succeeded",reason="Succeeded"}': 1,
      'terrain_sync_duration_seconds_sum{result="succeeded"}': 10,
      terrain_sync_disk_bytes_total: 11381663335,
    },
  },
  'a permanent failure: given up, and the retries it saved': {
    given: failing(notFound),
    wanted: {
      'terrain_sync_attempts_total{result="gave_up",reason="SourceNotFound"}': 1,
      'terrain_sync_retries_avoided_total{reason="SourceNotFound"}': 2,
    },
  },
  'a failure that may pass: failed, no retry saved': {
    given: failing(unavailable),
    wanted: { 'terrain_sync_attempts_total{result="failed",reason="SourceUnreachable"}': 1 },
  },
  'the last failure the policy allows: given up, under its own reason': {
    given: { ...failing(unavailable), policy: { retryLimit: '0' } },
    wanted: { 'terrain_sync_attempts_total{result="gave_up",reason="SourceUnreachable"}': 1 },
  },
  'a lost snapshot cut again: no attempt': {
    given: {
      image: statused(
        synced({
          conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: ago(5) }],
        }),
      ),
      dataVolumes: [aVolume({ phase: 'Succeeded' })],
      claims: [aClaim()],
    },
    wanted: { terrain_sync_snapshots_cut_again_total: 1 },
  },
};

for (const [name, { given, wanted }] of Object.entries(cases)) {
  test(`counted: ${name}`, async () => {
    const registry = new Registry();
    const metrics = new SyncMetrics(registry);
    const before = await samples(registry);
    const snapshot = aSnapshot(given);
    const decision = decide(snapshot);
    metrics.stored(snapshot, decision, eventOf(snapshot, decision));
    const after = await samples(registry);
    for (const [series, value] of Object.entries(wanted)) assert.equal(after.get(series), value, series);
    const ended = [...after].filter(
      ([series, value]) => series.startsWith('terrain_sync_attempts') && value !== before.get(series),
    );
    assert.equal(ended.length, Object.keys(wanted).filter((series) => series.startsWith('terrain_sync_attempts')).length);
    const avoided = [...after].filter(([series, value]) => series.startsWith('terrain_sync_retries_avoided') && value > 0);
    assert.equal(avoided.length, Object.keys(wanted).filter((series) => series.startsWith('terrain_sync_retries')).length);
  });
}

test('images are counted by phase as they change, and a phase made up by hand makes no series', async () => {
  const registry = new Registry();
  const metrics = new SyncMetrics(registry);
  const phase = (name?: string): VMDiskImage =>
    anImage(statused((name === undefined ? {} : { phase: name }) as VMDiskImageStatus));
  metrics.imageChanged({ type: 'added', key: 'a', new: phase() });
  metrics.imageChanged({ type: 'added', key: 'b', new: phase('Failed') });
  metrics.imageChanged({ type: 'updated', key: 'a', old: phase(), new: phase('Queued') });
  metrics.imageChanged({ type: 'updated', key: 'a', old: phase('Queued'), new: phase('Dancing') });
  metrics.imageChanged({ type: 'deleted', key: 'b', old: phase('Failed') });
  const shown = [...(await samples(registry))].filter(([series]) => series.startsWith('terrain_images'));
  assert.deepEqual(Object.fromEntries(shown), {
    'terrain_images{phase="Queued"}': 0,
    'terrain_images{phase="Syncing"}': 0,
    'terrain_images{phase="Succeeded"}': 0,
    'terrain_images{phase="Failed"}': 0,
    'terrain_images{phase="Unseen"}': 1,
  });
});

async function samples(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}
