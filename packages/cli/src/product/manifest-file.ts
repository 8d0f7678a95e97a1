import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@terrain/runtime';
import { parseAllDocuments } from 'yaml';
import { CommandError } from '../output/exit.ts';

/** The objects of a YAML file or of all YAML files below a folder, in the order of their names. Empty documents are left out. */
export function readManifests(path: string): KubeObject[] {
  if (!statSync(path).isDirectory()) return parseManifests(readFileSync(path, 'utf8'), path);
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .flatMap((name) => parseManifests(readFileSync(join(path, name), 'utf8'), join(path, name)));
}

export function parseManifests(text: string, file: string): KubeObject[] {
  const objects: KubeObject[] = [];
  for (const document of parseAllDocuments(text)) {
    const problem = document.errors[0];
    if (problem !== undefined) throw new CommandError(`${file} is not valid YAML: ${problem.message}`);
    const content: unknown = document.toJS();
    if (content === null || content === undefined) continue;
    if (!isKubeObject(content)) {
      throw new CommandError(
        `${file} holds a document that is no Kubernetes object: it needs apiVersion, kind and metadata.name`,
      );
    }
    objects.push(content);
  }
  return objects;
}

function isKubeObject(content: unknown): content is KubeObject {
  const { apiVersion, kind, metadata } = content as Partial<KubeObject>;
  return typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata?.name === 'string';
}
