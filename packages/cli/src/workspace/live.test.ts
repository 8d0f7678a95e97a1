import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { labels } from '@terrain/api';
import { Connection } from '@terrain/runtime';
import { object } from '../testing/workspace.ts';
import { belonging, objectsIn } from './live.ts';

test('what carries the label belongs to a workspace, and what that owns, in whatever order they are found', () => {
  const marked = (name: string, workspace: string) =>
    object('Deployment', name, { metadata: { name, uid: name, labels: { [labels.workspace]: workspace } } });
  const objects = [
    object('Pod', 'deep', { owner: 'ReplicaSet/middle' }),
    object('ReplicaSet', 'middle', { owner: 'ours' }),
    marked('ours', 'lab'),
    marked('theirs', 'other'),
    object('Pod', 'of-theirs', { owner: 'theirs' }),
    object('Secret', 'foreign'),
  ];
  assert.deepEqual(
    belonging('lab', objects).map(({ metadata }) => metadata.name),
    ['deep', 'middle', 'ours'],
  );
});

test('kinds that may not be listed are named, kinds that are not there are left out, and Secrets are asked for without content', async () => {
  const accepted = new Map<string, string | undefined>();
  const server = createServer(({ url = '', headers }, response) => {
    accepted.set(url, headers.accept);
    const code = url.endsWith('/pods') ? 403 : url.includes('/kubevirt.io/') ? 404 : 200;
    const items = url.endsWith('/services') ? [{ metadata: { name: 'dns', uid: 's' } }] : null;
    const status = { kind: 'Status', code, reason: code === 403 ? 'Forbidden' : '', message: 'no' };
    response
      .writeHead(code, { 'content-type': 'application/json' })
      .end(JSON.stringify(code === 200 ? { metadata: {}, items } : status));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await using connection = new Connection({ server: `http://127.0.0.1:${port}` });
    const { objects, forbidden } = await objectsIn(connection, 'workspace-lab');
    assert.deepEqual(forbidden, ['pods']);
    assert.deepEqual(objects, [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'dns', uid: 's' } }]);
    assert.match(accepted.get('/api/v1/namespaces/workspace-lab/secrets') ?? '', /as=PartialObjectMetadataList/);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
