import type { Binaries } from '#binary/ensure.ts';
import type { EmbeddedCluster } from '#cluster/embedded-cluster.ts';
import { type Progress, runTask, silent } from '#progress.ts';
import type { RealNode } from '../node.ts';
import { cdiVersion, ensureCdiImages } from './cdi-images.ts';
import { startCdi } from './start-cdi.ts';

export interface RealImportsOptions {
  /** With the programs of the group `cdi`. */
  readonly binaries: Binaries;
  /** Classes of storage that disks may be imported to. */
  readonly storageClasses: readonly string[];
  /** Registries that speak plain HTTP, as `host:port`. */
  readonly insecureRegistries?: readonly string[] | undefined;
  readonly progress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a cluster import and clone disks for real: CDI on its node.
 *
 * Guarantees: returns when DataVolumes are judged and imported.
 * Assumptions: CDI's definitions are installed, and the classes of storage have a driver.
 */
export async function startRealImports(cluster: EmbeddedCluster, node: RealNode, options: RealImportsOptions): Promise<void> {
  const { progress = silent } = options;
  const images = await ensureCdiImages(options);
  await runTask(
    progress,
    { name: 'cdi', title: `CDI ${cdiVersion}: real imports and clones`, expectedMs: 30_000 },
    async (report) => {
      // One after the other: three of them have the same lowest layer, which is unpacked once then and three times at once otherwise.
      for (const [index, { file }] of images.entries()) {
        await node.importImage(file);
        report.advance(index + 1, images.length, 'images');
      }
      await startCdi(cluster.connection(), options);
    },
  );
}
