import { ApiError, type Connection, isNotFound } from '@terrain/runtime';
import type { KnownImage } from '../vm/reset.ts';
import { imagesOf } from './images.ts';
import type { Address } from './wait-for-all.ts';

/** An image as far as the person may know: who owns a machine need not have the right to read the images of others. */
export async function readImage(connection: Connection, at: Address): Promise<KnownImage> {
  try {
    return { image: await imagesOf(connection).get(at) };
  } catch (error) {
    if (isNotFound(error)) return { unknown: 'which does not exist now: until it does, the machine has no disk at all' };
    if (error instanceof ApiError && error.code === 403) return { unknown: 'which you may not read' };
    throw error;
  }
}
