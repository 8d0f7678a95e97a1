import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { type TestCluster, testCluster } from '@terrain/embedded/testing';
import { type ConformanceTarget, conformanceCases, prepareConformance, runCase } from '@terrain/runtime/testing';
import { Agent, request } from 'undici';

describe('the real API server conforms', () => {
  let target: ConformanceTarget;

  before(async () => {
    const cluster = await testCluster({ controllerManager: true });
    target = { connection: cluster.connection(), compact: () => compact(cluster) };
    await prepareConformance(target);
  });

  for (const [topic, cases] of Object.entries(conformanceCases)) {
    for (const [sentence, run] of Object.entries(cases)) test(`${topic}: ${sentence}`, () => runCase(target, run));
  }
});

/** Asks etcd itself: the API server compacts by the clock only. */
async function compact(cluster: TestCluster): Promise<void> {
  const list = await cluster
    .connection()
    .request<{ metadata: { resourceVersion: string } }>({ method: 'GET', path: '/api/v1/namespaces', query: { limit: 1 } });
  const dispatcher = new Agent({ connect: { socketPath: join(cluster.directory, 'etcd', 'client:1') } });
  try {
    const { statusCode, body } = await request('http://etcd/v3/kv/compaction', {
      method: 'POST',
      dispatcher,
      body: JSON.stringify({ revision: list.metadata.resourceVersion, physical: true }),
    });
    const text = await body.text();
    // Nothing was written since the last compaction: then it is as compact as it can be.
    if (statusCode !== 200 && !text.includes('compacted')) throw new Error(`etcd refused to compact with ${statusCode}: ${text}`);
  } finally {
    await dispatcher.close();
  }
}
