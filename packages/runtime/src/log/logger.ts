import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** How much is logged, and where to. */
export interface LoggerOptions {
  /** trace, debug, info, warn, error, fatal or silent. Default info. */
  readonly level?: string;
  /** Default: standard output, one JSON object a line. */
  readonly destination?: DestinationStream;
}

/** Names of fields that never reach a log with their value, wherever they stand in what is logged. */
const secretNames = [
  'token',
  'password',
  'authorization',
  'Authorization',
  'key',
  'cert',
  'kubeconfig',
  'stringData',
  'userData',
];

/**
 * A logger of JSON lines: a constant message, the rest in fields.
 *
 * Guarantees: fields with names of secrets, down to the third level, and the data of Secrets are replaced by `[redacted]`; errors are written with
 * their causes.
 * Caveats: a secret inside a message or under another name is not recognised; log names of objects, not objects.
 */
export function createLogger({ level = 'info', destination }: LoggerOptions = {}): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: [...secretNames, 'secret.data'].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
    serializers: { err: pino.stdSerializers.errWithCause, error: pino.stdSerializers.errWithCause },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** A logger that says nothing, for tests and for callers that brought none. */
export const silentLogger: Logger = pino({ level: 'silent' });
