import { join } from 'node:path';

/** A module at the version that go.mod pins. */
export interface PinnedModule {
  readonly path: string;
  readonly version: string;
}

/** The modules that a go.mod file requires. */
export function requiredModules(goMod: string): PinnedModule[] {
  const inBlocks = [...goMod.matchAll(/^require \(\n([\s\S]*?)^\)/gm)].flatMap((match) => match[1]!.split('\n'));
  const alone = [...goMod.matchAll(/^require (\S+ \S+)/gm)].map((match) => match[1]!);
  return [...inBlocks, ...alone].flatMap((line) => {
    const [path, version] = line.trim().split(/\s+/);
    return path && version?.startsWith('v') ? [{ path, version }] : [];
  });
}

/** Where Go keeps the unpacked files of a module. Capitals are written as an exclamation mark and the small letter. */
export function moduleDirectory(moduleCache: string, { path, version }: PinnedModule): string {
  const escaped = (text: string) => text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
  return join(moduleCache, `${escaped(path)}@${escaped(version)}`);
}
