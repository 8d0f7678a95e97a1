import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedError } from '#embedded-error.ts';
import { signalProcess, spawnGuarded } from '#process/guard.ts';
import { proxyFailure } from './proxy-failure.ts';

export interface GoCommandOptions {
  readonly program: string;
  readonly directory: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Called for each line on standard error, where Go reports what it downloads and compiles. */
  readonly onLine?: (line: string) => void;
  /** Told before each new try why there is one. */
  readonly onRetry?: (sentence: string) => void;
  /** How long to wait before try number `attempt` (2, 3, ...). */
  readonly retryDelayMs?: (attempt: number) => number;
}

const maxTries = 8;
const keptLines = 40;
const killAfterMs = 5000;

/**
 * What a build must not inherit: another toolchain, a workspace file further up, cgo. All else of the user's settings
 * (proxies, GOFLAGS, GOPROXY, caches) is passed on.
 */
export function goEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, GOTOOLCHAIN: 'local', GOWORK: 'off', CGO_ENABLED: '0', GOGC: env.GOGC ?? '400' };
}

/**
 * Runs the go command and returns its standard output.
 *
 * Guarantees: failures of the network or of the module proxy are retried with growing pauses, and what was downloaded stays; a proxy of the
 * environment that is not there is none of them;
 * an aborted signal ends Go and all its compilers before this returns, as does the death of this process.
 */
export async function runGo(args: readonly string[], options: GoCommandOptions): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { code, stdout, lastLines } = await once(args, options);
    options.signal?.throwIfAborted();
    if (code === 0) return stdout;
    if (isDiskFull(lastLines)) throw diskFull();
    const noProxy = proxyFailure(lastLines, options.env ?? process.env);
    if (noProxy !== undefined) throw noProxy;
    const reason = transientReason(lastLines);
    if (reason === undefined || attempt === maxTries) throw buildError(args, lastLines);
    const waitMs = (options.retryDelayMs ?? backoffMs)(attempt + 1);
    options.onRetry?.(
      `Downloading Go modules was interrupted (${reason}); trying again in ${Math.round(waitMs / 1000)} s, attempt ${attempt + 1} of ${maxTries}.`,
    );
    await delay(waitMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
}

/** 2 s, 4 s, 8 s ... at most a minute, less up to a quarter at random so that several builders do not return together. */
function backoffMs(attempt: number): number {
  return Math.min(60_000, 1000 * 2 ** (attempt - 1)) * (1 - Math.random() / 4);
}

const transientPatterns: Readonly<Record<string, RegExp>> = {
  'the module proxy asked us to slow down': /: 429\b|Too Many Requests/i,
  'the module proxy had a problem': /: 5\d\d\b|Bad Gateway|Service Unavailable|Gateway Time-?out|Internal Server Error/i,
  'the network broke off':
    /connection reset|connection refused|unexpected EOF|: EOF$|i\/o timeout|TLS handshake timeout|stream error|no such host|server misbehaving|network is unreachable/im,
};

/** Why trying again may help; undefined when it would not, as with a compile error or a checksum that does not match. */
export function transientReason(lines: readonly string[]): string | undefined {
  const text = lines.join('\n');
  if (/checksum mismatch|SECURITY ERROR/.test(text)) return undefined;
  return Object.entries(transientPatterns).find(([, pattern]) => pattern.test(text))?.[0];
}

/** All kept lines count: Go goes on with packages that still fit, and a file that broke off for lack of room looks like a broken download. */
function isDiskFull(lines: readonly string[]): boolean {
  return lines.some((line) => /no space left on device|disk quota exceeded/i.test(line));
}

function diskFull(): EmbeddedError {
  return new EmbeddedError(
    'NoDiskSpace',
    'The disk became full during the build: free some space (about 6 GB in all) and start again; what was built so far is kept.',
  );
}

function buildError(args: readonly string[], lines: readonly string[]): EmbeddedError {
  return new EmbeddedError('BuildFailed', `\`go ${args[0]}\` failed; its last words were:\n${lines.slice(-8).join('\n')}`);
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly lastLines: readonly string[];
}

async function once(args: readonly string[], options: GoCommandOptions): Promise<Outcome> {
  options.signal?.throwIfAborted();
  const child = spawnGuarded(options.program, args, {
    cwd: options.directory,
    env: options.env ?? goEnvironment(process.env),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const group = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(-child.pid!));
    child.once('error', reject);
  });
  // An interrupt lets Go remove its work directory; its compilers get it too.
  let killTimer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    signalProcess(group, 'SIGINT');
    killTimer = setTimeout(() => signalProcess(group, 'SIGKILL'), killAfterMs);
  };
  options.signal?.addEventListener('abort', interrupt, { once: true });
  if (options.signal?.aborted) interrupt();

  const lastLines: string[] = [];
  const stdout: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => stdout.push(chunk));
  createInterface({ input: child.stderr! }).on('line', (line) => {
    lastLines.push(line);
    if (lastLines.length > keptLines) lastLines.shift();
    options.onLine?.(line);
  });
  // 'close' comes after both streams have been read to their end, 'exit' may come before.
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(killTimer);
  options.signal?.removeEventListener('abort', interrupt);
  return { code, stdout: Buffer.concat(stdout).toString('utf8'), lastLines };
}
