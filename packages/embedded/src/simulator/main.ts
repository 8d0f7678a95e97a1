/** `node main.ts [--kubeconfig FILE] [--scenario FILE] [--speed N|instant] [--egress-port N]`: the simulator in a process of its own. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Connection, loadKubeconfig } from '@terrain/runtime';
import { parse } from 'yaml';
import { serveEgress } from './egress/server.ts';
import { parseScenario, type Scenario, ScenarioError } from './scenario/scenario.ts';
import { startSimulator } from './simulator.ts';

async function readScenario(file: string | undefined, speed: string | undefined): Promise<Scenario> {
  const content = file === undefined ? {} : ((parse(await readFile(file, 'utf8')) as Record<string, unknown> | null) ?? {});
  return parseScenario(speed === undefined ? content : { ...content, speed });
}

// Like the operator's: frozen objects are for our own tests.
process.env.NODE_ENV ??= 'production';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      scenario: { type: 'string' },
      speed: { type: 'string' },
      'egress-port': { type: 'string', default: '0' },
    },
  });
  const scenario = await readScenario(values.scenario, values.speed);
  const credentials = await loadKubeconfig(values.kubeconfig === undefined ? {} : { file: values.kubeconfig });
  await using connection = new Connection(credentials, { userAgent: 'terrain-simulator' });
  const stop = new AbortController();
  const stopped = Promise.withResolvers<void>();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.resolve());
  await using simulator = await startSimulator({ connection, scenario, signal: stop.signal });
  const endpoint = await serveEgress(simulator.egress, Number(values['egress-port']));
  console.log(`simulator ready, plays ${[...scenario.parts].join(', ')}; egress at ${endpoint.url}`);
  await stopped.promise;
  await endpoint.close();
}

try {
  await main();
} catch (error) {
  const isPlain = error instanceof ScenarioError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true;
  console.error(isPlain ? (error as Error).message : error);
  process.exitCode = 1;
}
