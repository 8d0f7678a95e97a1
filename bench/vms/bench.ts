import type { KubeObject } from '@terrain/runtime';
import { Stage } from '../images/measure/stage.ts';
import type { Bench } from '../lib/bench.ts';
import { applied, clearAll, copySource } from './floor.ts';
import { anImage, atRest, type Made, made, manifestsOf, removeAll } from './ours.ts';
import { sum } from './writes.ts';

const usual = { count: 300, rounds: 3 };

/**
 * Machines of one image on a real API server with the simulated platform, against a client that sends the same manifests to a cluster of its own.
 * Both clusters run all the time and the two sides take turns, so that what else the machine does hits both. `VMS` and `ROUNDS` set other numbers.
 */
export const vms: Bench = {
  name: 'vms',
  summary: 'machines of one image: time against applied manifests, writes, CPU, memory, steady state (six minutes)',
  async run({ signal, log }) {
    const count = Number(process.env.VMS ?? usual.count);
    const rounds = Number(process.env.ROUNDS ?? usual.rounds);
    await using ours = await Stage.open(signal);
    await using floor = await Stage.open(signal);
    await using _simulator = (await ours.simulator({ speed: 'instant' })).companion;
    await using _other = (await floor.simulator({ speed: 'instant' })).companion;
    await using operator = await ours.operator();
    const image = await anImage(ours, await ours.namespace());
    const sources = { from: image.metadata.namespace ?? '', to: await copySource(ours, image, floor) };
    const turns: { readonly ours: Made; readonly floorSeconds: number }[] = [];
    let manifests: readonly KubeObject[] = [];
    let rest = { requests: 0, writes: 0 };
    for (let round = 1; round <= rounds; round++) {
      const namespace = await ours.namespace();
      const turn = await made(ours, operator, image, namespace, count);
      if (round === 1) manifests = await manifestsOf(ours, namespace, 'm-0');
      rest = await atRest(ours, operator);
      await removeAll(ours, namespace, count);
      const there = await floor.namespace();
      const floorSeconds = await applied(floor, manifests, sources, there, count);
      await clearAll(floor, there);
      turns.push({ ours: turn, floorSeconds });
      const written = [...turn.writes].map(([what, times]) => `${times} ${what}`).join(', ');
      log(`round ${round}, ${count} machines: ${turn.seconds.toFixed(1)} s against ${floorSeconds.toFixed(1)} s; ${written}`);
    }
    const first = turns[0]?.ours;
    const hundreds = count / 100;
    const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    const perMachine = (turn: Made, ...names: readonly string[]): number =>
      (names.length === 0 ? sum(turn.writes) : names.reduce((all, name) => all + (turn.writes.get(name) ?? 0), 0)) / count;
    return [
      { name: `floor: ${count} machines run`, value: middle(turns.map(({ floorSeconds }) => floorSeconds)), unit: 's' },
      { name: `ours: ${count} machines Ready`, value: middle(turns.map((turn) => turn.ours.seconds)), unit: 's' },
      {
        name: `ours / floor, the middle of ${rounds}`,
        value: middle(turns.map((turn) => turn.ours.seconds / turn.floorSeconds)),
        unit: 'ratio',
        goal: 1.3,
      },
      { name: 'writes per machine', value: middle(turns.map((turn) => perMachine(turn.ours))), unit: 'writes' },
      {
        name: 'status writes per machine',
        value: middle(turns.map((turn) => perMachine(turn.ours, 'APPLY pelotech.ot virtualmachines/status'))),
        unit: 'writes',
      },
      { name: 'CPU per 100 machines', value: middle(turns.map((turn) => turn.ours.cpuSeconds)) / hundreds, unit: 's' },
      { name: 'memory per 100 machines', value: (first?.grownBytes ?? 0) / 2 ** 20 / hundreds, unit: 'MiB' },
      { name: 'most memory of the operator', value: operator.process.usage.peakBytes / 2 ** 20, unit: 'MiB' },
      { name: 'steady state, writes in 10 s', value: rest.writes, unit: 'writes', goal: 0 },
      { name: 'steady state, requests in 10 s', value: rest.requests, unit: 'requests' },
    ];
  },
};
