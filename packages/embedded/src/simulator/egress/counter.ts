import type { Download } from '../engine/decision.ts';

/** What went over the wire for one address, had it been real. */
export interface EgressOfUrl {
  readonly url: string;
  /** How often its data was asked for. */
  readonly downloads: number;
  readonly bytes: number;
  /** DataVolumes that did, as namespace/name. */
  readonly dataVolumes: readonly string[];
}

/**
 * Counts simulated downloads, so that a test can tell what a controller costs.
 *
 * Caveats: lives in memory; after a restart it knows only the downloads of DataVolumes that still exist.
 */
export class EgressCounter {
  readonly #byDataVolume = new Map<string, Download>();

  /** Takes the state of one DataVolume's downloads; it only ever grows. */
  record(download: Download): void {
    const known = this.#byDataVolume.get(download.dataVolumeUid);
    this.#byDataVolume.set(download.dataVolumeUid, {
      ...download,
      started: Math.max(download.started, known?.started ?? 0),
      bytes: Math.max(download.bytes, known?.bytes ?? 0),
    });
  }

  /** All addresses, or just one; the address is taken as the DataVolume had it, switches included. */
  summary(): readonly EgressOfUrl[] {
    const byUrl = new Map<string, { downloads: number; bytes: number; dataVolumes: string[] }>();
    for (const { url, started, bytes, dataVolume } of this.#byDataVolume.values()) {
      const sum = byUrl.get(url) ?? { downloads: 0, bytes: 0, dataVolumes: [] };
      sum.downloads += started;
      sum.bytes += bytes;
      sum.dataVolumes.push(dataVolume);
      byUrl.set(url, sum);
    }
    return [...byUrl].map(([url, sum]) => ({ url, ...sum }));
  }

  of(url: string): EgressOfUrl {
    return this.summary().find((one) => one.url === url) ?? { url, downloads: 0, bytes: 0, dataVolumes: [] };
  }
}
