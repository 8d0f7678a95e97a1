import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TestCluster } from '@terrain/embedded/testing';
import { applyManifests, Connection, type Credentials, type KubeObject, type ResourceType } from '@terrain/runtime';
import { ApiFake, Observer } from '@terrain/runtime/testing';
import { configMaps, mailboxes } from '../example/controller.ts';
import { mailboxCrd } from '../example/crd.ts';
import type { Stage } from './scenario.ts';

/** What became of one object: in how many revisions it was made, changed and removed. */
export type Count = Record<'made' | 'changed' | 'removed', number>;

/** A server to play scenarios on: the fake for speed, a real one for truth. */
export interface Ground {
  readonly upstream: Credentials;
  /** A fresh namespace and mail directory; the directory is gone after the test. */
  stage(t: TestContext): Promise<Stage>;
  /** By `plural name`. */
  counts(stage: Stage): Promise<Record<string, Count>>;
  close(): Promise<void>;
}

const events: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true };
const kinds = [mailboxes, configMaps];

export async function fakeGround(): Promise<Ground> {
  const fake = await ApiFake.start({ kinds: [{ type: events, kind: 'Event' }] });
  const connection = new Connection(fake.credentials);
  await applyManifests(connection, [mailboxCrd], { fieldManager: 'test' });
  const createNamespace = async (): Promise<string> => {
    const name = `test-${randomBytes(4).toString('hex')}`;
    fake.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return name;
  };
  return {
    upstream: fake.credentials,
    stage: (t) => newStage(t, connection, createNamespace),
    counts: async (stage) =>
      tally(
        stage,
        kinds.flatMap((resource) => fake.changes(resource).map(({ type, object }) => ({ type, object, resource }))),
      ),
    close: async () => {
      await connection.close();
      await fake.close();
    },
  };
}

export async function realGround(cluster: TestCluster): Promise<Ground> {
  const connection = cluster.connection();
  await applyManifests(connection, [mailboxCrd], { fieldManager: 'test' });
  const observer = await Observer.start({ connection, kinds });
  return {
    upstream: cluster.credentials,
    stage: (t) => newStage(t, connection, () => cluster.namespace()),
    counts: async (stage) => {
      await observer.caughtUp();
      return tally(stage, observer.history);
    },
    close: () => observer.close(),
  };
}

async function newStage(t: TestContext, connection: Connection, createNamespace: () => Promise<string>): Promise<Stage> {
  const namespace = await createNamespace();
  const mail = await mkdtemp(join(tmpdir(), 'terrain-mail-'));
  t.after(() => rm(mail, { recursive: true, force: true }));
  return { connection, namespace, mail };
}

interface Happened {
  readonly type: 'INITIAL' | 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceType;
  readonly object: KubeObject;
}

const words = { INITIAL: 'made', ADDED: 'made', MODIFIED: 'changed', DELETED: 'removed' } as const;

function tally({ namespace }: Stage, happened: readonly Happened[]): Record<string, Count> {
  const counts: Record<string, Count> = {};
  for (const { type, resource, object } of happened) {
    const { name } = object.metadata;
    if (object.metadata.namespace !== namespace || name === 'kube-root-ca.crt') continue;
    const key = `${resource.plural} ${name}`;
    counts[key] ??= { made: 0, changed: 0, removed: 0 };
    counts[key][words[type]]++;
  }
  return counts;
}
