/** One line of the kernel's list of mounts. */
export interface Mount {
  readonly path: string;
  /** Major and minor number of the device, as `7:3`. */
  readonly device: string;
  /** The part of the mounted file system that is visible at `path`. */
  readonly root: string;
  readonly isReadOnly: boolean;
}

/** Reads /proc/self/mountinfo. The order is that of mounting: of two on one path the later is the visible one. */
export function parseMounts(text: string): Mount[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, , device = '', root = '', path = '', options = ''] = line.split(' ');
      return { path: plain(path), device, root: plain(root), isReadOnly: options.split(',').includes('ro') };
    });
}

/** What is visible at a path, if something is mounted there. */
export function mountAt(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.findLast((mount) => mount.path === path);
}

/** Blanks, tabs, line ends and backslashes are written as three octal digits. */
function plain(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
