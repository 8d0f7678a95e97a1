import type { Stage } from '../measure/stage.ts';

export interface Failed {
  readonly downloads: number;
  /** From the importer's words to the image's Failed. */
  readonly secondsToFailed: number;
}

/** One image whose source is not there. */
export async function permanentFailure(stage: Stage, egressUrl: string): Promise<Failed> {
  const namespace = await stage.namespace();
  await using operator = await stage.operator();
  await using chronicle = await stage.chronicle(namespace);
  await stage.createImages(namespace, 1, { sim: 'http:404', prefix: 'missing' });
  const failedAt = await operator.process.during(
    chronicle.until('the failure', 120_000, () => chronicle.countOf('Failed') === 1),
  );
  const saidAt = [...chronicle.volumeSaidAt].find(([words]) => words.includes('got 404'))?.[1] ?? Number.NaN;
  const { urls } = (await (await fetch(egressUrl)).json()) as { urls: Asked[] };
  return { downloads: downloadsOf(urls, 'missing'), secondsToFailed: Math.max(0, failedAt - saidAt) / 1000 };
}

/** One address, as the simulator tells of it. */
export interface Asked {
  readonly url: string;
  readonly downloads: number;
}

/** How often the one address with this name was asked for its data. An importer that is told 404 has asked once. */
export function downloadsOf(urls: readonly Asked[], name: string): number {
  const found = urls.filter(({ url }) => url.includes(name));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`the simulator tells of ${found.length} addresses with "${name}", expected one: ${JSON.stringify(urls)}`);
  return only.downloads;
}
