import type { Clock } from '#clock/clock.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import { isTrue } from '../api-call.ts';
import type { Change, History } from './history.ts';
import { apiVersionOf, collectionKey, type StoredObject } from './kind.ts';
import { forbiddenOption, metadataOnly, type ReadTarget, type View } from './reader.ts';
import { Refusal, statusBody } from './refusal.ts';
import { type Predicate, selectorOf } from './selector.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: object;
}

export interface WatchSettings {
  readonly clock: Clock;
  /** Time between bookmarks. */
  readonly bookmarkEveryMs: number;
  /** How a version too old is told: most servers open the stream and send an ERROR event, some answer 410. */
  readonly expiredAs: 'event' | 'status';
}

/** Bookmarks come this long before a watch times out, so that the client can go on without loss. */
const bookmarkBeforeEndMs = 2000;

/**
 * One watch: what happened since the version asked for, then what happens.
 *
 * Guarantees: events come in order of their revisions, each once; an object that starts or stops to match the selector is added or deleted.
 */
export class WatchStream {
  readonly #target: ReadTarget;
  readonly #history: History;
  readonly #settings: WatchSettings;
  readonly #view: View;
  readonly #select: Predicate;
  readonly #wantsBookmarks: boolean;
  readonly #cleanups: (() => void)[] = [];
  #send: (event: WatchEvent) => void = () => undefined;
  #end: () => void = () => undefined;
  #isEnded = false;
  /** The newest revision the client knows of. */
  #told = 0;

  constructor(target: ReadTarget, history: History, view: View, settings: WatchSettings) {
    this.#target = target;
    this.#history = history;
    this.#view = view;
    this.#settings = settings;
    this.#select = selectorOf(target.kind, target.query, target.namespace, target.name);
    this.#wantsBookmarks = isTrue(target.query.get('allowWatchBookmarks'));
  }

  /** The collection watched. */
  get collection(): string {
    return collectionKey(this.#target.kind.type);
  }

  /** The first events, and a refusal where the answer is not a stream at all. Nothing is sent before `open`. */
  prepare(): WatchEvent[] {
    const { query } = this.#target;
    const version = query.get('resourceVersion') ?? '';
    const sendsState = isTrue(query.get('sendInitialEvents'));
    if (query.get('sendInitialEvents') !== null && query.get('resourceVersionMatch') !== 'NotOlderThan') {
      throw forbiddenOption('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
    }
    if (version !== '' && !/^\d+$/.test(version)) {
      throw new Refusal({
        code: 500,
        message: `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
      });
    }
    if (sendsState)
      return [...this.#state(), ...(this.#wantsBookmarks ? [this.#bookmark({ 'k8s.io/initial-events-end': 'true' })] : [])];
    if (version === '' || version === '0') return this.#state();
    try {
      return this.#history.since(this.#target.kind, Number(version)).flatMap((change) => this.#eventFor(change) ?? []);
    } catch (error) {
      if (!(error instanceof Refusal) || this.#settings.expiredAs === 'status') throw error;
      return [{ type: 'ERROR', object: statusBody(error.status) }];
    }
  }

  /** Starts sending; must follow `prepare` in the same turn, so that no change falls between. */
  open(first: readonly WatchEvent[], send: (event: WatchEvent) => void, end: () => void): void {
    this.#send = send;
    this.#end = end;
    const from = Number(this.#target.query.get('resourceVersion') ?? 0);
    this.#told = from;
    const tell = (event: WatchEvent): void => {
      this.#told = Math.max(this.#told, Number((event.object as KubeObject).metadata?.resourceVersion ?? 0));
      send(event);
    };
    for (const event of first) tell(event);
    if (first.some(({ type }) => type === 'ERROR')) {
      this.close();
      return;
    }
    this.#cleanups.push(
      this.#history.subscribe((change) => {
        // A version from the future is taken, and what comes before it is not told.
        if (collectionKey(change.kind.type) !== this.collection || change.revision <= from) return;
        const event = this.#eventFor(change);
        if (event !== undefined) tell(event);
      }),
    );
    this.#startTimers();
  }

  /** Sends a bookmark now, to clients that asked for them and for whom it is news; the real server sends no others. */
  sendBookmark(): void {
    if (!this.#wantsBookmarks || this.#isEnded || this.#told >= this.#history.revision) return;
    this.#told = this.#history.revision;
    this.#send(this.#bookmark());
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const cleanup of this.#cleanups) cleanup();
    this.#end();
  }

  #startTimers(): void {
    const { clock, bookmarkEveryMs } = this.#settings;
    const seconds = Number(this.#target.query.get('timeoutSeconds') ?? 0);
    if (seconds > 0) {
      this.#after(seconds * 1000, () => this.close());
      this.#after(Math.max(0, seconds * 1000 - bookmarkBeforeEndMs), () => this.sendBookmark());
    }
    if (!this.#wantsBookmarks) return;
    let cancel = (): void => undefined;
    const again = (): void => {
      this.sendBookmark();
      cancel = clock.setTimeout(again, bookmarkEveryMs);
    };
    cancel = clock.setTimeout(again, bookmarkEveryMs);
    this.#cleanups.push(() => cancel());
  }

  #after(ms: number, callback: () => void): void {
    this.#cleanups.push(this.#settings.clock.setTimeout(callback, ms));
  }

  #state(): WatchEvent[] {
    return [...this.#history.all(this.#target.kind)]
      .filter(this.#select)
      .map((object) => ({ type: 'ADDED', object: this.#view(object) }));
  }

  #eventFor({ type, object, previous }: Change): WatchEvent | undefined {
    const isIn = type !== 'DELETED' && this.#select(object);
    const wasIn = previous !== undefined && this.#select(previous);
    if (isIn) return { type: wasIn ? 'MODIFIED' : 'ADDED', object: this.#view(object) };
    if (!wasIn) return undefined;
    // The last state that matched, under the revision at which it ceased to.
    const last: StoredObject = {
      ...previous,
      metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion! },
    };
    return { type: 'DELETED', object: this.#view(last) };
  }

  #bookmark(annotations?: Record<string, string>): WatchEvent {
    const { type, kind } = this.#target.kind;
    const metadata = { resourceVersion: String(this.#history.revision), ...(annotations === undefined ? {} : { annotations }) };
    const isPartial = this.#view === metadataOnly;
    return {
      type: 'BOOKMARK',
      object: isPartial
        ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
        : { kind, apiVersion: apiVersionOf(type), metadata },
    };
  }
}
