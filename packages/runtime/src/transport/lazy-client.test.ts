import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('a pod never loads @kubernetes/client-node: only reading an unusual kubeconfig does', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { loadInCluster, Manager } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
    await loadInCluster({});
    new Manager({ name: 'x', credentials: { server: 'http://127.0.0.1:1' } });
    console.log(JSON.stringify({ files: loaded.length, heavy: loaded.filter((url) => url.includes('client-node')).length }));
    process.exit();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const { files, heavy } = JSON.parse(stdout) as { files: number; heavy: number };
  assert.ok(files > 50, `the hook saw ${files} files only`);
  assert.equal(heavy, 0);
});
