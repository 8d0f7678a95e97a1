import type { ObservedEvent } from './world.ts';

export interface Violation {
  /** The name under which the invariant was given. */
  readonly invariant: string;
  readonly sentence: string;
  /** The change that led to the world in question. */
  readonly event: ObservedEvent;
}

const shownViolations = 5;
const shownEvents = 15;

/** All a person needs to begin: what broke, at which version, what happened before. */
export function describeViolations(violations: readonly Violation[], history: readonly ObservedEvent[]): string {
  const count = violations.length === 1 ? 'An invariant was violated' : `Invariants were violated ${violations.length} times`;
  const shown = violations.slice(0, shownViolations).map((violation) => describe(violation, history));
  const rest = violations.length > shownViolations ? [`... and ${violations.length - shownViolations} more`] : [];
  return [`${count}:`, ...shown, ...rest].join('\n');
}

function describe({ invariant, sentence, event }: Violation, history: readonly ObservedEvent[]): string {
  const end = history.indexOf(event) + 1;
  const before = history.slice(Math.max(0, end - shownEvents), end).map((earlier) => `    ${inWords(earlier)}`);
  return [`- ${invariant}: ${sentence}`, `  at version ${event.revision}; the last events up to it:`, ...before].join('\n');
}

function inWords({ revision, type, resource, object: { metadata } }: ObservedEvent): string {
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return `${revision} ${type} ${resource.plural} ${name} (uid ${metadata.uid}, generation ${metadata.generation ?? '-'})`;
}
