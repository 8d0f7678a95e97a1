import type { CapacityRange } from '../protocol/messages.ts';
import { Refusal } from '../refusal.ts';

const mebibyte = 1024 ** 2;
/** The least on which a file system with a journal fits. */
export const smallestSize = 16 * mebibyte;
/** The unit of a file system and of a loop device; other lengths would lose their last bytes. */
const blockSize = 4096;
const sizeIfNobodySays = 1024 * mebibyte;

/** What bounds a size from outside. */
export interface SizeBounds {
  /** The size of what is copied, or of the volume before it grows. */
  readonly least?: number;
  /** The whole of the disk that holds the volumes. A larger volume could never be filled. */
  readonly most: number;
}

/** How large a volume becomes: the smallest size that the caller's range and the bounds allow. */
export function chooseSize(range: CapacityRange | null, bounds: SizeBounds): number {
  const { requiredBytes, limitBytes } = range ?? { requiredBytes: 0, limitBytes: 0 };
  checkRange(requiredBytes, limitBytes);
  const asked = requiredBytes > 0 ? requiredBytes : (bounds.least ?? preferred(limitBytes));
  const size = roundUp(Math.max(asked, smallestSize));
  if (bounds.least !== undefined && size < bounds.least) {
    throw new Refusal(
      'OutOfRange',
      `${requiredBytes} bytes are asked for, but the data to be held has ${bounds.least}: ask for at least that much.`,
    );
  }
  if (limitBytes > 0 && size > limitBytes) {
    throw new Refusal(
      'OutOfRange',
      `The smallest volume that would do has ${size} bytes, which is more than the limit of ${limitBytes}.`,
    );
  }
  if (size > bounds.most) {
    throw new Refusal(
      'OutOfRange',
      `A volume of ${size} bytes could never be filled, since the disk that holds the volumes has ${bounds.most}.`,
    );
  }
  return size;
}

/** Whether a volume of this size is what a range asks for; used when a call is repeated. */
export function isInRange(size: number, range: CapacityRange | null): boolean {
  const { requiredBytes, limitBytes } = range ?? { requiredBytes: 0, limitBytes: 0 };
  checkRange(requiredBytes, limitBytes);
  return size >= requiredBytes && (limitBytes === 0 || size <= limitBytes);
}

function checkRange(required: number, limit: number): void {
  if (required < 0 || limit < 0) {
    throw new Refusal('InvalidArgument', `A size cannot be negative (required ${required} bytes, limit ${limit}).`);
  }
  if (limit > 0 && limit < required) {
    throw new Refusal('InvalidArgument', `The limit of ${limit} bytes is below the ${required} bytes that are required.`);
  }
}

function preferred(limit: number): number {
  return limit === 0 ? sizeIfNobodySays : Math.min(sizeIfNobodySays, limit - (limit % blockSize));
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / blockSize) * blockSize;
}
