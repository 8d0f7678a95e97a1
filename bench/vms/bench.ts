import { Stage } from '../images/measure/stage.ts';
import type { Bench } from '../lib/bench.ts';
import { anImage, applied, made, sum } from './phase.ts';

const usual = 300;

/**
 * Machines of one image on a real API server with the simulated platform, against a client that sends the same manifests. `VMS` sets another number.
 */
export const vms: Bench = {
  name: 'vms',
  summary: 'machines of one image: time against applied manifests, writes, CPU, memory, steady state (three minutes)',
  async run({ signal, log }) {
    const count = Number(process.env.VMS ?? usual);
    await using stage = await Stage.open(signal);
    await using _simulator = (await stage.simulator({ speed: 'instant' })).companion;
    await using operator = await stage.operator();
    const namespace = await stage.namespace();
    const image = await anImage(stage, namespace);
    const ours = await made(stage, operator, image, count);
    log(
      `ours, ${count} machines: ${ours.seconds.toFixed(1)} s; ${[...ours.writes].map(([what, times]) => `${times} ${what}`).join(', ')}`,
    );
    const floor = await applied(stage, ours.manifests, count);
    log(`floor, ${count} machines: ${floor.toFixed(1)} s`);
    const hundreds = count / 100;
    return [
      { name: `floor: ${count} machines run`, value: floor, unit: 's' },
      { name: `ours: ${count} machines Ready`, value: ours.seconds, unit: 's' },
      { name: 'ours / floor', value: ours.seconds / floor, unit: 'ratio', goal: 1.3 },
      { name: 'writes per machine', value: sum(ours.writes) / count, unit: 'writes' },
      {
        name: 'status writes per machine',
        value: (ours.writes.get('APPLY pelotech.ot virtualmachines/status') ?? 0) / count,
        unit: 'writes',
      },
      { name: 'CPU per 100 machines', value: ours.cpuSeconds / hundreds, unit: 's' },
      { name: 'memory of the operator', value: ours.residentBytes / 2 ** 20, unit: 'MiB' },
      { name: 'most memory of the operator', value: ours.peakBytes / 2 ** 20, unit: 'MiB' },
      { name: 'steady state, writes in 10 s', value: ours.idleWrites, unit: 'writes', goal: 0 },
      { name: 'steady state, requests in 10 s', value: ours.idleRequests, unit: 'requests' },
    ];
  },
};
