/** `npm run kubectl -- ARGS`: the embedded kubectl, talking to the embedded cluster, or to `$KUBECONFIG` if that is set. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { clusterStatus, ensureBinaries, readyMadePrograms } from '@terrain/embedded';
import { defaultHome } from './command/home.ts';
import { sentenceOf } from './output/exit.ts';
import { ProgressView } from './output/progress.ts';

try {
  const kubeconfig = process.env.KUBECONFIG || (await embeddedKubeconfig());
  const view = new ProgressView();
  // Where the cluster runs from ready-made programs there may be no Go to build a kubectl with.
  const ready = await readyMadePrograms(defaultHome());
  const binaries = await ensureBinaries(['core'], { progress: view.show, binaries: ready });
  view.close();
  const child = spawn(binaries.path('kubectl'), process.argv.slice(2), {
    stdio: 'inherit',
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
} catch (error) {
  process.stderr.write(`terrain: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
}

async function embeddedKubeconfig(): Promise<string> {
  const { kubeconfig, home } = await clusterStatus(defaultHome());
  if (!existsSync(kubeconfig)) throw new Error(`${home} has no cluster; start one with \`npm start\`, or set KUBECONFIG.`);
  return kubeconfig;
}
