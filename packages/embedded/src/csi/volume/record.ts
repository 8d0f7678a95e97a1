import { Refusal } from '../refusal.ts';
import type { VolumeMode } from './capability.ts';

/** Where the content of a volume came from. */
export type Source = { readonly snapshot: string } | { readonly volume: string };

/** What is written beside the image of a volume, once; the size is the length of the image and stands nowhere else. */
export interface VolumeRecord {
  readonly name: string;
  readonly mode: VolumeMode;
  readonly source: Source | null;
}

export interface SnapshotRecord {
  readonly name: string;
  readonly mode: VolumeMode;
  readonly sourceVolume: string;
  readonly createdAt: string;
}

/** Raised when a record can no longer be read by older code. */
const format = 1;

export function recordText(record: VolumeRecord | SnapshotRecord): string {
  return `${JSON.stringify({ format, ...record }, undefined, 2)}\n`;
}

/** Records appear whole or not at all, so one that cannot be read was changed by somebody else; nothing is guessed then. */
export function parseRecord<T extends VolumeRecord | SnapshotRecord>(text: string, path: string): T {
  let parsed: ({ readonly format?: unknown } & T) | undefined;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Refusal('Internal', `${path} is damaged (${(error as Error).message}): restore it or remove its directory.`);
  }
  if (parsed?.format !== format || typeof parsed.name !== 'string') {
    throw new Refusal(
      'Internal',
      `${path} was written by another version of this driver: use that one, or remove its directory.`,
    );
  }
  const { format: _format, ...record } = parsed;
  return record as unknown as T;
}

export function isSameSource(one: Source | null, other: Source | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
