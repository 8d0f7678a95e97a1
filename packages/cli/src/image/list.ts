import type { VMDiskImage } from '@terrain/api';
import { type Columns, type ListView, renderObjects } from '../output/object-list.ts';

const columns: Columns<VMDiskImage> = {
  usual: [
    ['PROGRESS', ({ status }) => status?.progress],
    ['REFERENCES', ({ status }) => status?.references?.toString()],
  ],
  wide: [
    ['SIZE', ({ spec }) => String(spec.diskSize)],
    ['SNAPSHOT', ({ status }) => status?.artifact?.volumeSnapshot],
    ['SOURCE', ({ spec }) => spec.url],
  ],
};

/** Images as a table, by namespace and name. */
export const renderList = (images: readonly VMDiskImage[], view: ListView): string => renderObjects(images, view, columns);
