import { randomBytes } from 'node:crypto';
import { ApiError, type Connection, type KubeObject, resourcePath } from '@terrain/runtime';
import type { EgressCounter } from '../egress/counter.ts';
import { apiVersionOf, type KindName, kinds } from '../kinds.ts';
import { managerName, simulatedLabels } from '../marks.ts';
import { timestamp } from '../time.ts';
import type { Effect } from './decision.ts';

/** What came of a list of effects. */
export interface Outcome {
  /** The newest version written, by kind. */
  readonly versions: ReadonlyMap<KindName, string>;
  readonly created: readonly KindName[];
  /** The effect that failed, and how; those after it were not tried. */
  readonly failure?: { readonly effect: Effect; readonly error: unknown };
}

const longestEventMessage = 1024;

/** Carries out effects: the only code of the simulator that changes the cluster. */
export class Executor {
  readonly #connection: Connection;
  readonly #egress: EgressCounter;
  readonly #signal: AbortSignal;

  constructor(options: { connection: Connection; egress: EgressCounter; signal: AbortSignal }) {
    this.#connection = options.connection;
    this.#egress = options.egress;
    this.#signal = options.signal;
  }

  async execute(effects: readonly Effect[], nowMs: number): Promise<Outcome> {
    const versions = new Map<KindName, string>();
    const created: KindName[] = [];
    for (const effect of effects) {
      try {
        const written = await this.#perform(effect, nowMs);
        if (effect.do === 'create') created.push(effect.kind);
        if ((effect.do === 'create' || effect.do === 'patch') && written?.metadata?.resourceVersion !== undefined)
          versions.set(effect.kind, written.metadata.resourceVersion);
      } catch (error) {
        return { versions, created, failure: { effect, error } };
      }
    }
    return { versions, created };
  }

  async #perform(effect: Effect, nowMs: number): Promise<KubeObject | undefined> {
    switch (effect.do) {
      case 'create': {
        const { kind, object } = effect;
        const path = resourcePath(kinds[kind], { namespace: object.metadata.namespace });
        return this.#send('POST', path, { apiVersion: apiVersionOf(kind), kind, ...object });
      }
      case 'patch': {
        const { kind, target, subresource } = effect;
        const path = resourcePath(kinds[kind], { ...target, ...(subresource === undefined ? {} : { subresource }) });
        const metadata = {
          ...(effect.body.metadata as Record<string, unknown> | undefined),
          ...(target.uid === undefined ? {} : { uid: target.uid }),
        };
        return this.#send('PATCH', path, { ...effect.body, metadata });
      }
      case 'delete': {
        const { kind, target, gracePeriodSeconds } = effect;
        await this.#send('DELETE', resourcePath(kinds[kind], target), {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          preconditions: { uid: target.uid },
          gracePeriodSeconds,
        });
        return undefined;
      }
      case 'event':
        await this.#record(effect, nowMs);
        return undefined;
      case 'download':
        this.#egress.record(effect.download);
        return undefined;
    }
  }

  #send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<KubeObject> {
    return this.#connection.request<KubeObject>({
      method,
      path,
      body,
      query: method === 'DELETE' ? {} : { fieldManager: managerName },
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
      signal: this.#signal,
    });
  }

  /** An event is a courtesy: its loss stops nothing. */
  async #record({ about, type, reason, message }: Effect & { do: 'event' }, nowMs: number): Promise<void> {
    const { name, namespace = 'default', uid, resourceVersion } = about.metadata;
    const at = timestamp(nowMs);
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace, labels: simulatedLabels },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid, resourceVersion },
      type,
      reason,
      message: message.slice(0, longestEventMessage),
      source: { component: managerName },
      reportingComponent: managerName,
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
    try {
      await this.#send('POST', resourcePath(kinds.Event, { namespace }), event);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
