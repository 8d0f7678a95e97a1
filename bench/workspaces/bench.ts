import type { VMDiskImage } from '@terrain/api';
import { Stage } from '../images/measure/stage.ts';
import type { Bench } from '../lib/bench.ts';
import { applyByHand, type Floor } from './floor.ts';
import { anImage } from './lab.ts';
import { Node } from './node.ts';
import { type StoodUp, standUp, tearDown } from './ours.ts';

const usual = 100;

/**
 * Labs of the seed's size, all at once, on a real API server with the simulated platform, against a client that sends the same objects
 * to a cluster of its own. `WORKSPACES` sets another number.
 */
export const workspaces: Bench = {
  name: 'workspaces',
  summary: "labs of the seed's size at once: time and teardown against bare requests, writes, memory, steady state (ten minutes)",
  async run({ signal, log }) {
    const count = Number(process.env.WORKSPACES ?? usual);
    const ours = await byOperator(signal, count);
    log(
      `ours, ${count} labs of ${ours.up.objects / count} objects: ${ours.up.seconds.toFixed(1)} s, ${ours.down.toFixed(1)} s back`,
    );
    const floor = await byHand(signal, count, ours);
    log(`floor, ${count} labs: ${floor.up.toFixed(1)} s, ${floor.down.toFixed(1)} s back`);
    const { up, down } = ours;
    return [
      { name: `floor: ${count} labs run`, value: floor.up, unit: 's' },
      { name: `ours: ${count} labs Ready`, value: up.seconds, unit: 's' },
      { name: 'ours / floor', value: up.seconds / floor.up, unit: 'ratio', goal: 1.4 },
      { name: `floor: ${count} labs gone`, value: floor.down, unit: 's' },
      { name: `ours: ${count} labs gone`, value: down, unit: 's' },
      { name: 'ours / floor, teardown', value: down / floor.down, unit: 'ratio', goal: 1.4 },
      { name: 'objects per lab', value: up.objects / count, unit: 'objects' },
      { name: 'writes per object', value: up.writes.children / up.objects, unit: 'writes', goal: 1.2 },
      { name: 'status writes per lab', value: up.writes.status / count, unit: 'writes' },
      { name: 'events and finalizers per lab', value: up.writes.others / count, unit: 'writes' },
      { name: 'CPU per lab', value: up.cpuSeconds / count, unit: 's' },
      { name: 'memory of the operator', value: up.residentBytes / 2 ** 20, unit: 'MiB' },
      { name: 'most memory of the operator', value: up.peakBytes / 2 ** 20, unit: 'MiB' },
      { name: 'steady state, writes in 10 s', value: up.idleWrites, unit: 'writes', goal: 0 },
      { name: 'steady state, requests in 10 s', value: up.idleRequests, unit: 'requests' },
    ];
  },
};

interface Ours {
  readonly up: StoodUp;
  readonly down: number;
  readonly image: VMDiskImage;
}

async function byOperator(signal: AbortSignal, count: number): Promise<Ours> {
  await using stage = await Stage.open(signal);
  await using _simulator = (await stage.simulator({ speed: 'instant' })).companion;
  await using _node = await Node.start(stage.api);
  await using operator = await stage.operator();
  const image = await anImage(stage);
  const up = await standUp(stage, operator, count);
  return { up, down: await tearDown(stage, operator, count), image };
}

async function byHand(signal: AbortSignal, count: number, { up, image: former }: Ours): Promise<Floor> {
  await using stage = await Stage.open(signal);
  await using _simulator = (await stage.simulator({ speed: 'instant' })).companion;
  await using _node = await Node.start(stage.api);
  const image = await withOperator(stage);
  return await applyByHand(stage, up.manifests, { former, image }, count);
}

/** Somebody has to make the image; he is gone before the clock starts. */
async function withOperator(stage: Stage): Promise<VMDiskImage> {
  await using _operator = await stage.operator();
  return await anImage(stage);
}
