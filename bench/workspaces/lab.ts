/** Labs of the seed's size, all of one image that is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { VMDiskImage, Workspace } from '@terrain/api';
import { aVMDiskImage } from '@terrain/api/testing';
import { type KubeObject, Resource } from '@terrain/runtime';
import { parse } from 'yaml';
import type { Stage } from '../images/measure/stage.ts';
import { types } from '../images/measure/types.ts';
import { namespaces, workspaces } from './kinds.ts';

const seed = parse(readFileSync(join(import.meta.dirname, '../../examples/seeds/000-workspace.yaml'), 'utf8')) as Workspace;
const imageNamespace = 'vmdi-farm';

/** All of one length, so that none is the beginning of another. */
export const labName = (index: number): string => `lab-${String(index).padStart(4, '0')}`;
export const labNamespace = (index: number): string => `workspace-${labName(index)}`;
export const aLab = (index: number): Workspace => ({ ...seed, metadata: { name: labName(index) } });

/** The image the machines boot from, ready to be cloned, and policies that know workspaces. */
export async function anImage(stage: Stage): Promise<VMDiskImage> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: imageNamespace } };
  await new Resource<KubeObject>(stage.api, namespaces).create(namespace);
  for (let inARow = 0; inARow < 20; ) {
    const isTaken = await new Resource<Workspace>(stage.api, workspaces).create(aLab(0), { dryRun: true }).then(
      () => true,
      () => false,
    );
    inARow = isTaken ? inARow + 1 : 0;
    if (!isTaken) await delay(100, undefined, { signal: stage.signal });
  }
  const name = seed.spec.vms?.[0]?.backingVMDiskImage ?? '';
  const images = new Resource<VMDiskImage>(stage.api, types.images);
  const spec = { url: 'https://images.example.com/demo.qcow2', diskSize: '18Gi' };
  await images.create(aVMDiskImage({ metadata: { name, namespace: imageNamespace }, spec }));
  await using chronicle = await stage.chronicle(imageNamespace);
  await chronicle.until('an image', 120_000, () => chronicle.countOf('Succeeded') === 1);
  return images.get({ name, namespace: imageNamespace });
}
