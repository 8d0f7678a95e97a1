import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCluster } from '@terrain/embedded/testing';
import { applyManifests, Connection, type Credentials, type KubeObject, type ResourceType } from '@terrain/runtime';
import { ApiFake, Observer } from '@terrain/runtime/testing';
import { configMaps, mailboxes } from '../example/controller.ts';
import { mailboxCrd } from '../example/crd.ts';
import { mailboxInvariants } from './invariants.ts';
import type { Stage } from './scenario.ts';

/** What became of one object: in how many revisions it was made, changed and removed. */
export type Count = Record<'made' | 'changed' | 'removed', number>;

/** A server to play scenarios on: the fake for speed, a real one for truth. */
export interface Ground {
  readonly upstream: Credentials;
  /** A fresh namespace, and a mail directory that goes with the ground. */
  stage(): Promise<Stage>;
  /** By `plural name`. */
  counts(stage: Stage): Promise<Record<string, Count>>;
  close(): Promise<void>;
}

const events: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true };
const kinds = [mailboxes, configMaps];

export async function fakeGround(): Promise<Ground> {
  const { newMail, removeMail } = mailDirectories();
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
    stage: async () => ({ connection, namespace: await createNamespace(), mail: await newMail() }),
    counts: async (stage) =>
      tally(
        stage,
        kinds.flatMap((resource) => fake.changes(resource).map(({ type, object }) => ({ type, object, resource }))),
      ),
    close: async () => {
      await removeMail();
      await connection.close();
      await fake.close();
    },
  };
}

export async function realGround(cluster: TestCluster): Promise<Ground> {
  const { newMail, removeMail } = mailDirectories();
  const connection = cluster.connection();
  await applyManifests(connection, [mailboxCrd], { fieldManager: 'test' });
  const observer = await Observer.start({ connection, kinds, invariants: mailboxInvariants });
  return {
    upstream: cluster.credentials,
    stage: async () => ({ connection, namespace: await cluster.namespace(), mail: await newMail() }),
    counts: async (stage) => {
      await observer.caughtUp();
      observer.assertClean();
      return tally(stage, observer.history);
    },
    close: async () => {
      await removeMail();
      await observer.close();
    },
  };
}

function mailDirectories(): { newMail: () => Promise<string>; removeMail: () => Promise<void> } {
  const root = mkdtemp(join(tmpdir(), 'terrain-mail-'));
  return {
    newMail: async () => mkdtemp(join(await root, 'mail-')),
    removeMail: async () => rm(await root, { recursive: true, force: true }),
  };
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
