/** Why a call is refused, by the codes that CSI gives a meaning; the numbers are gRPC's. */
export const refusalCodes = {
  InvalidArgument: 3,
  NotFound: 5,
  AlreadyExists: 6,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Internal: 13,
} as const;

export type RefusalCode = keyof typeof refusalCodes;

/** The answer to a call that cannot be carried out: a code for the caller's program, a sentence for the person behind it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}

/** Any error as a refusal. A full disk is the caller's to know; what nobody foresaw is ours. */
export function asRefusal(error: unknown, doing: string): Refusal {
  if (error instanceof Refusal) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || /no space left on device/i.test(message)) {
    return new Refusal(
      'ResourceExhausted',
      `${doing} needs more space than is free where volumes are kept: delete volumes or snapshots, or give it a larger disk.`,
      { cause: error },
    );
  }
  return new Refusal('Internal', `${doing} failed: ${message}`, { cause: error });
}
