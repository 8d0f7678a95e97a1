import type { Resource } from '@terrain/runtime';
import { ignoreAbsent } from './platform.ts';
import type { Thing } from './types.ts';

/** Deletes all machines and images, whatever an operator that no longer runs wanted to keep or finish first. */
export async function sweep(machines: Resource<Thing>, images: Resource<Thing>): Promise<void> {
  await Promise.all(
    (await machines.list()).items.map(async ({ metadata }) => {
      const at = { name: metadata.name ?? '', namespace: metadata.namespace };
      await machines.mergePatch(at, { metadata: { finalizers: null } }).catch(ignoreAbsent);
      await machines.delete(at).catch(ignoreAbsent);
    }),
  );
  for (const { metadata } of (await images.list()).items) {
    const at = { name: metadata.name ?? '', namespace: metadata.namespace };
    await images.mergePatch({ ...at, subresource: 'status' }, { status: { references: 0 } }).catch(ignoreAbsent);
    await images.mergePatch(at, { metadata: { finalizers: null } }).catch(ignoreAbsent);
    await images.delete(at).catch(ignoreAbsent);
  }
}
