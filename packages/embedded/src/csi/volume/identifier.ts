import { createHash } from 'node:crypto';
import { Refusal } from '../refusal.ts';

export type ObjectKind = 'volume' | 'snapshot';

const prefixes: Readonly<Record<ObjectKind, string>> = { volume: 'vol', snapshot: 'snap' };
/** What CSI allows a string to have, in bytes. */
const longestName = 128;

/**
 * The id of the object with a name. The same name always has the same id, so a caller that lost our answer, or asked while
 * we were killed, finds what it made by asking again; no index can be out of date.
 */
export function identifierOf(kind: ObjectKind, name: string): string {
  if (name === '')
    throw new Refusal('InvalidArgument', `A ${kind} needs a name: without one, a repeated call would make a second one.`);
  if (Buffer.byteLength(name) > longestName) {
    throw new Refusal(
      'InvalidArgument',
      `The name of the ${kind} has ${Buffer.byteLength(name)} bytes; at most ${longestName} are allowed.`,
    );
  }
  return `${prefixes[kind]}-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** Whether an id is one of ours. Others name nothing that exists, and must never become part of a path. */
export function isIdentifier(kind: ObjectKind, id: string): boolean {
  return new RegExp(`^${prefixes[kind]}-[0-9a-f]{32}$`).test(id);
}
