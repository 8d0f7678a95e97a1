// Runs before every npm script, under whatever Node the machine has (20 or newer), and makes sure that what the script
// needs is there: the packages of package-lock.json, among them the Node 26 that runs our TypeScript directly.
// Plain JavaScript and no dependency, because at this point nothing is installed yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
// Written last, so an interrupted install is never taken for a finished one.
const stamp = join(modules, '.terrain-installed');

function fail(sentence) {
  process.stderr.write(`terrain: ${sentence}\n`);
  process.exit(1);
}

/** Identifies what node_modules must hold; the lock file names every package, so nothing else decides whether to install again. */
function wanted() {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', '.npmrc']) hash.update(readFileSync(join(root, file)));
  return `${hash.digest('hex')} ${process.platform} ${process.arch}`;
}

function isInstalled(want) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === want && existsSync(join(modules, '.bin', 'node'));
}

/** One installer at a time: a second npm script that starts meanwhile waits instead of tearing node_modules apart. */
function withLock(action) {
  const lock = join(root, '.npm-install.lock');
  const mine = `${lock}.${process.pid}`;
  // Linked into place with its content, so a lock without an owner's pid in it never exists.
  writeFileSync(mine, String(process.pid));
  try {
    while (!tryLink(mine, lock)) {
      if (!isAlive(Number(readIfThere(lock)))) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
    action();
  } finally {
    if (readIfThere(lock) === String(process.pid)) rmSync(lock, { force: true });
    rmSync(mine, { force: true });
  }
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function install(want) {
  process.stderr.write('terrain: installing npm packages (package-lock.json is new or has changed)\n');
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
  process.stderr.write(`terrain: npm packages installed in ${Math.round((Date.now() - started) / 1000)} s\n`);
}

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) fail(`Node ${process.versions.node} is too old to install Terrain's packages. Install Node 20 or newer.`);
const want = wanted();
if (!isInstalled(want)) withLock(() => isInstalled(want) || install(want));
