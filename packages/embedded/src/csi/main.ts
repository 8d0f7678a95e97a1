/** The storage driver as a process: `node main.ts --root DIR --socket PATH --node NAME [--registration PATH]`. */
import { parseArgs } from 'node:util';
import { Driver } from './driver.ts';
import { ensureProtocol } from './protocol/ensure.ts';
import { loadServices } from './protocol/services.ts';

const { values } = parseArgs({
  options: {
    root: { type: 'string' },
    socket: { type: 'string' },
    node: { type: 'string' },
    registration: { type: 'string' },
  },
});

function required(name: 'root' | 'socket' | 'node'): string {
  const value = values[name];
  if (value !== undefined && value !== '') return value;
  console.error(`storage driver: --${name} is missing`);
  process.exit(2);
}

const options = { root: required('root'), socket: required('socket'), nodeId: required('node') };
const say = (sentence: string) => console.error(`${new Date().toISOString()} ${sentence}`);
try {
  const services = loadServices(await ensureProtocol({ binaries: process.env.TERRAIN_BINARIES }));
  const driver = await Driver.start({ ...options, registrationSocket: values.registration, services, onWord: say });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void driver.stop().then(() => process.exit(0)));
  }
  say('storage driver ready');
} catch (error) {
  say(`storage driver cannot start: ${(error as Error).message}`);
  process.exitCode = 1;
}
