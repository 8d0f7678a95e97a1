// Runs before every npm script, under whatever Node the machine has (20 or newer), and makes sure that what the script
// needs is there: the packages of package-lock.json, among them the Node 26 that runs our TypeScript directly.
// Plain JavaScript and no dependency, because at this point nothing is installed yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withInstallLock } from './bootstrap/install-lock.mjs';
import { fail, Problem } from './bootstrap/problem.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
// Written last, so an interrupted install is never taken for a finished one.
const stamp = join(modules, '.terrain-installed');
const lock = join(root, '.npm-install.lock');

function say(sentence) {
  process.stderr.write(`terrain: ${sentence}\n`);
}

/** Identifies what node_modules must hold; the lock file names every package, so nothing else decides whether to install again. */
function wanted() {
  const hash = createHash('sha256');
  for (const name of ['package-lock.json', '.npmrc']) hash.update(readOurs(join(root, name)));
  return `${hash.digest('hex')} ${process.platform} ${process.arch}`;
}

function readOurs(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    return fail(`${file} cannot be read (${error.code}). Check the repository out anew.`);
  }
}

function isInstalled(want) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === want && existsSync(join(modules, '.bin', 'node'));
}

function install(want) {
  say('installing npm packages (package-lock.json is new or has changed)');
  const started = Date.now();
  const npm = process.env.npm_execpath;
  const arguments_ = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const run = npm
    ? spawnSync(process.execPath, [npm, ...arguments_], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
    : spawnSync('npm', arguments_, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (run.error) fail(`npm could not be started (${run.error.message}). Install npm 10 or newer and try again.`);
  if (run.status !== 0) fail('`npm ci` failed; its own words are above. If a registry was unreachable, try again.');
  if (!existsSync(join(modules, '.bin', 'node'))) {
    fail(`no Node 26 package exists for ${process.platform}/${process.arch}. Supported: linux/x64, linux/arm64, darwin/arm64.`);
  }
  writeFileSync(stamp, want);
  say(`npm packages installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

function sayForWhomWeWait(pid) {
  say(
    `process ${pid} is installing npm packages already; waiting for it. If it hangs, end it; if it is no npm of yours, delete ${lock}.`,
  );
}

function bootstrap() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) fail(`Node ${process.versions.node} is too old to install Terrain's packages. Install Node 20 or newer.`);
  const want = wanted();
  if (!isInstalled(want)) withInstallLock(lock, sayForWhomWeWait, () => isInstalled(want) || install(want));
}

try {
  bootstrap();
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  say(error.message);
  process.exitCode = 1;
}
