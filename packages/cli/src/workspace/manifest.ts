/** The labs in a file, with the lines their fields are on. */
import type { WorkspaceSpec } from '@terrain/api';
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';

/** A Workspace, or a WorkspaceTemplate, which may hold a lab. */
export interface LabManifest {
  readonly kind: 'Workspace' | 'WorkspaceTemplate';
  readonly name: string;
  /** As it was written; nobody has checked it yet. */
  readonly manifest: unknown;
  /** The lab, and where it stands in the manifest; undefined for a template without one. */
  readonly lab: { readonly spec: WorkspaceSpec; readonly path: string } | undefined;
  /** The line of a field such as `spec.vms[0].name`, or of the closest thing around it. */
  readonly lineOf: (path: string) => number;
}

/** What a file holds. */
export interface LabFile {
  readonly labs: readonly LabManifest[];
  /** Why parts of it cannot be read. */
  readonly errors: readonly { readonly line: number; readonly message: string }[];
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads YAML or JSON. Objects of other kinds are passed over. */
export function readLabs(text: string): LabFile {
  const lines = new LineCounter();
  const labs: LabManifest[] = [];
  const errors: { line: number; message: string }[] = [];
  for (const document of parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })) {
    for (const { message, pos } of document.errors)
      errors.push({ line: lines.linePos(pos[0]).line, message: `this is not valid YAML: ${message}` });
    if (document.errors.length > 0) continue;
    const line = lines.linePos(document.contents?.range?.[0] ?? 0).line;
    try {
      labs.push(...labsOf(document.toJS() as unknown, document, lines));
    } catch (error) {
      // A few lines of aliases can stand for more than any memory holds; the parser stops there.
      errors.push({ line, message: `this cannot be read: ${(error as Error).message}` });
    }
  }
  return { labs, errors };
}

function labsOf(
  content: unknown,
  document: Document,
  lines: LineCounter,
  prefix: readonly (string | number)[] = [],
): LabManifest[] {
  if (!isObject(content)) return [];
  if (content.kind === 'List' && Array.isArray(content.items))
    return content.items.flatMap((item: unknown, index) => labsOf(item, document, lines, [...prefix, 'items', index]));
  const { kind, metadata, spec } = content;
  if (kind !== 'Workspace' && kind !== 'WorkspaceTemplate') return [];
  const name = isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : '(no name)';
  const lineOf = (path: string): number => lineIn(document, lines, [...prefix, ...stepsOf(path)]);
  const inTemplate = isObject(spec) && isObject(spec.workspace) ? spec.workspace : undefined;
  const lab = kind === 'Workspace' ? (isObject(spec) ? spec : undefined) : inTemplate;
  const path = kind === 'Workspace' ? 'spec' : 'spec.workspace';
  return [{ kind, name, manifest: content, lab: lab === undefined ? undefined : { spec: lab as WorkspaceSpec, path }, lineOf }];
}

/** `spec.vms[0].name` as the steps that lead there. */
function stepsOf(path: string): (string | number)[] {
  return path.split('.').flatMap((part) => {
    const [name = '', ...indexes] = part.split('[');
    return [...(name === '' ? [] : [name]), ...indexes.map((index) => Number.parseInt(index, 10))];
  });
}

function lineIn(document: Document, lines: LineCounter, steps: readonly (string | number)[]): number {
  for (let length = steps.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(steps.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
