/** `npm run bench -- NAME [--json FILE]`; with no name, lists the benches. */
import { coldStart } from './cold-start/bench.ts';
import { foundation } from './foundation/bench.ts';
import { images } from './images/bench.ts';
import { runCommandLine } from './lib/command-line.ts';
import { real } from './real/bench.ts';
import { runtime } from './runtime/bench.ts';
import { vms } from './vms/bench.ts';
import { workspaces } from './workspaces/bench.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
process.exitCode = await runCommandLine(process.argv.slice(2), {
  benches: [foundation, runtime, images, vms, workspaces, real, coldStart],
  signal: interrupted.signal,
  print: (text) => process.stdout.write(text),
  log: (line) => console.error(line),
});
