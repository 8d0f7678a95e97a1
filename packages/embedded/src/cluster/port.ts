import { EmbeddedError } from '#embedded-error.ts';
import { portTakenSentence } from '#home/port-holder.ts';
import { freePort, isPortFree } from '#process/port.ts';
import { until } from '#process/until.ts';

/** Tried first for a new home; another is chosen when somebody has it. */
export function preferredPort({ TERRAIN_PORT: asked }: NodeJS.ProcessEnv = process.env): number {
  if (asked === undefined || asked === '') return 16_443;
  const port = Number(asked);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new EmbeddedError('PortUnusable', `TERRAIN_PORT is "${asked}": write a port between 1 and 65535, or leave it out.`);
}

/** How long a predecessor that was killed may need to let go of the port. */
const graceMs = 3000;

export interface PortChoice {
  readonly port: number;
  /** A fixed port is never replaced by another: kubeconfig files elsewhere may name it. */
  readonly isFixed: boolean;
}

/** The port asked for, else the one this home has always had, else a free one. */
export async function choosePort(asked: number | undefined, recorded: number | undefined, home: string): Promise<PortChoice> {
  const fixed = asked ?? recorded;
  if (fixed === undefined) {
    const preferred = preferredPort();
    return { port: (await isPortFree(preferred)) ? preferred : await freePort(), isFixed: false };
  }
  try {
    await until('the release of the port', async () => ((await isPortFree(fixed)) ? true : undefined), { timeoutMs: graceMs });
  } catch {
    throw new EmbeddedError('PortTaken', await portTakenSentence(fixed, home));
  }
  return { port: fixed, isFixed: true };
}
