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
  const { urls } = (await (await fetch(egressUrl)).json()) as { urls: { url: string; downloads: number }[] };
  // The first look of an importer at the image's head is no download; the attempt is one all the same.
  const downloads = urls.find(({ url }) => url.includes('missing'))?.downloads ?? 0;
  return { downloads, secondsToFailed: Math.max(0, failedAt - saidAt) / 1000 };
}
