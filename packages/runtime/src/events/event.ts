import { microTime } from '#clock/micro-time.ts';
import type { KubeObject } from '#transport/kube-object.ts';
import type { ResourceType } from '#transport/resource.ts';

/** Where Events live. */
export const events: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', namespaced: true };

/** What happened to an object, for people who run `kubectl describe`. */
export interface Happening {
  readonly type: 'Normal' | 'Warning';
  /** Machine-readable, PascalCase. */
  readonly reason: string;
  /** What was done or tried, PascalCase. Default: the reason. */
  readonly action?: string;
  /** One sentence; cut to what the API takes. */
  readonly note: string;
}

/** Limits of the API. */
const noteBytes = 1024;
const wordBytes = 128;

/** An Event of events.k8s.io/v1, as far as its count is concerned. */
export interface EventObject extends KubeObject {
  readonly eventTime: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** Who reports: the controller by name, and which instance of it. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}

/** The Event of something that happened for the first time. `suffix` makes its name unique. */
export function eventFor(object: KubeObject, happening: Happening, reporter: Reporter, now: number, suffix: string): EventObject {
  const { name = '', namespace, uid, resourceVersion } = object.metadata;
  const { type, reason, action = reason, note } = happening;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    // Events about cluster-scoped objects live in the default namespace, as kubectl expects.
    metadata: { name: `${name.slice(0, 200)}.${suffix}`, namespace: namespace ?? 'default' },
    eventTime: microTime(now),
    reportingController: reporter.controller,
    reportingInstance: cut(reporter.instance, wordBytes),
    action: cut(action, wordBytes),
    reason: cut(reason, wordBytes),
    regarding: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion },
    note: cut(note, noteBytes),
    type,
  } as EventObject;
}

/** What makes two happenings the same, so that they are counted instead of told twice. */
export function happeningKey(object: KubeObject, { type, reason, action, note }: Happening): string {
  return JSON.stringify([object.metadata.uid, type, reason, action, note]);
}

/** At most so many bytes, never half a character. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let kept = '';
  let left = bytes - Buffer.byteLength('…');
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept}…`;
}
