/** Everything that can be said about a lab without a cluster. */
import {
  judgeTopology,
  maxWorkspaceNameLength,
  type Problem,
  type TopologyOptions,
  type TopologyProblem,
  validateManifest,
} from '@terrain/api';
import { plain } from '../output/plain.ts';
import { type LabManifest, readLabs } from './manifest.ts';

/** One problem, and where it is. */
export interface Finding {
  readonly line: number;
  /** The field, such as `spec.vms[0].name`; empty when the file cannot be read. */
  readonly field: string;
  /** What the field holds, if that is a single value that may be shown. */
  readonly value?: string | number | boolean;
  /** What is wrong and what to do about it. */
  readonly rule: string;
  /** Field, value and rule in one sentence. */
  readonly message: string;
}

/** One lab with its problems. */
export interface CheckedLab {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly name: string;
  readonly problems: readonly Finding[];
}

/** What the check of files found. */
export interface Checked {
  readonly labs: readonly CheckedLab[];
  /** Files, or parts of them, that cannot be read. */
  readonly unreadable: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  /** Files without any lab. */
  readonly without: readonly string[];
}

/** Checks every lab of every file; `text` is the content. */
export function checkFiles(
  files: readonly { readonly file: string; readonly text: string }[],
  options: TopologyOptions = {},
): Checked {
  const read = files.map(({ file, text }) => ({ file, ...readLabs(text) }));
  return {
    labs: read.flatMap(({ file, labs }) =>
      labs.map((lab) => ({
        file,
        line: lab.lineOf(''),
        kind: lab.kind,
        name: lab.name,
        problems: problemsOf(lab, options)
          .map((problem) => findingOf(lab, problem))
          .sort((a, b) => a.line - b.line),
      })),
    ),
    unreadable: read.flatMap(({ file, errors }) => errors.map((error) => ({ file, ...error }))),
    without: read.filter(({ labs, errors }) => labs.length === 0 && errors.length === 0).map(({ file }) => file),
  };
}

/** Fields that tell the entries of a list apart: the schema complains about the entry, the topology about the field. */
const keyFields = ['name', 'network', 'containerPath'];

function problemsOf({ kind, name, manifest, lab }: LabManifest, options: TopologyOptions): readonly Problem[] {
  const schema = validateManifest(manifest);
  const told = new Set(schema.flatMap(({ path }) => [path, ...keyFields.map((key) => `${path}.${key}`)]));
  const topology = lab === undefined ? [] : judgeTopology(lab.spec, options, lab.path);
  return [...schema, ...(kind === 'Workspace' ? nameProblems(name) : []), ...topology.filter(({ path }) => !told.has(path))];
}

function nameProblems(name: string): readonly Problem[] {
  if (name.length <= maxWorkspaceNameLength && !name.includes('.')) return [];
  const rule = `at most ${maxWorkspaceNameLength} characters and no dots are allowed, because the namespace workspace-<name> is made from it; choose another name`;
  return [{ path: 'metadata.name', message: `metadata.name is ${JSON.stringify(name)}, but ${rule}` }];
}

function findingOf({ manifest, lineOf }: LabManifest, { path, message, ...rest }: Problem & Partial<TopologyProblem>): Finding {
  const value = valueAt(manifest, path);
  const rule = rest.rule ?? (message.startsWith(`${path} `) ? message.slice(path.length + 1) : message);
  return { line: lineOf(path), field: path, ...(value === undefined ? {} : { value }), rule, message };
}

/** Passwords are never shown, and neither is anything that may hold one. */
function valueAt(manifest: unknown, path: string): string | number | boolean | undefined {
  if (/passw/i.test(path)) return undefined;
  let value = manifest;
  for (const step of path.split(/[.[\]]+/).filter((one) => one !== ''))
    value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[step];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** The findings for people: one line each, as compilers write them, so that editors can jump there. */
export function renderChecked({ labs, unreadable, without }: Checked): string {
  return [
    ...unreadable.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...labs.flatMap(({ file, line, kind, name, problems }) =>
      problems.length === 0
        ? [`${file}:${line}: ${kind} ${name} is valid`]
        : problems.map((problem) => `${file}:${problem.line}: ${problem.message}`),
    ),
    ...without.map((file) => `${file}: holds no Workspace and no WorkspaceTemplate`),
  ]
    .map((text) => `${plain(text)}\n`)
    .join('');
}

/** Whether there is anything to correct. A file without labs is one only when no file has any. */
export const isValid = ({ labs, unreadable }: Checked): boolean =>
  labs.length > 0 && unreadable.length === 0 && labs.every(({ problems }) => problems.length === 0);
