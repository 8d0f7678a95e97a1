import { EmbeddedError } from '#embedded-error.ts';
import { portTakenSentence } from '#home/port-holder.ts';
import { freePort, isPortFree } from '#process/port.ts';
import { until } from '#process/until.ts';

/** Tried first for a new home; another is chosen when somebody has it. */
export const preferredPort = 16_443;

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
  if (fixed === undefined) return { port: (await isPortFree(preferredPort)) ? preferredPort : await freePort(), isFixed: false };
  try {
    await until('the release of the port', async () => ((await isPortFree(fixed)) ? true : undefined), { timeoutMs: graceMs });
  } catch {
    throw new EmbeddedError('PortTaken', await portTakenSentence(fixed, home));
  }
  return { port: fixed, isFixed: true };
}
