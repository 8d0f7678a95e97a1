/** Where an ext4 file system describes itself, counted from its beginning. */
export const superblockAt = { offset: 1024, length: 1024 } as const;

const magic = 0xef53;

/** How many bytes of its device an ext4 file system uses; undefined when the bytes describe none. */
export function fileSystemBytes(superblock: Buffer): number | undefined {
  if (superblock.length < superblockAt.length || superblock.readUInt16LE(0x38) !== magic) return undefined;
  const blockSize = 1024 * 2 ** superblock.readUInt32LE(0x18);
  const isLarge = (superblock.readUInt32LE(0x60) & 0x80) !== 0;
  const high = isLarge ? superblock.readUInt32LE(0x150) : 0;
  return (superblock.readUInt32LE(0x04) + high * 2 ** 32) * blockSize;
}
