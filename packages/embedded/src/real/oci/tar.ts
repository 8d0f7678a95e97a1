import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Entry } from './entry.ts';

const block = 512;
/** What eleven octal digits hold; a larger size goes into an extended header. */
const largestOctal = 0o77777777777;

const typeFlag = { text: '0', file: '0', link: '2', directory: '5', extended: 'x' } as const;

interface Header {
  readonly path: string;
  readonly type: (typeof typeFlag)[keyof typeof typeFlag];
  readonly mode: number;
  readonly owner: number;
  readonly size: number;
  readonly target: string;
}

/**
 * A tar archive (POSIX ustar with pax headers where names or sizes need them), piece by piece.
 *
 * Guarantees: the same entries give the same bytes, whenever and wherever: times are zero, owners are numbers.
 */
export async function* tarOf(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) yield* entryBytes(entry);
  yield Buffer.alloc(2 * block);
}

async function* entryBytes(entry: Entry): AsyncGenerator<Buffer> {
  const text = entry.kind === 'text' ? Buffer.from(entry.text) : undefined;
  const size = entry.kind === 'file' ? (await stat(entry.source)).size : (text?.length ?? 0);
  yield headerBytes({
    path: entry.kind === 'directory' ? `${entry.path}/` : entry.path,
    type: typeFlag[entry.kind],
    mode: entry.kind === 'link' ? 0o777 : (entry.mode ?? (entry.kind === 'directory' ? 0o755 : 0o644)),
    owner: entry.kind === 'link' ? 0 : (entry.owner ?? 0),
    size,
    target: entry.kind === 'link' ? entry.target : '',
  });
  if (text !== undefined) yield text;
  if (entry.kind === 'file') yield* fileBytes(entry.source, size);
  yield padding(size);
}

/** Fails rather than write an archive in which every later entry is misplaced. */
async function* fileBytes(source: string, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of createReadStream(source, { highWaterMark: 1024 * 1024 })) {
    read += (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  if (read !== size) throw new Error(`${source} changed while it was packed into an image: ${read} bytes instead of ${size}`);
}

/** The header of an entry, with an extended one before it where the fields are too narrow. Pure. */
export function headerBytes(header: Header): Buffer {
  const place = splitPath(header.path);
  const records = [
    ...(place === undefined ? [['path', header.path] as const] : []),
    ...(Buffer.byteLength(header.target) > 100 ? [['linkpath', header.target] as const] : []),
    ...(header.size > largestOctal ? [['size', String(header.size)] as const] : []),
  ];
  const plain = plainHeader({
    ...header,
    path: place === undefined ? header.path.slice(0, 100) : header.path,
    target: Buffer.from(header.target).subarray(0, 100).toString(),
    size: Math.min(header.size, largestOctal),
  });
  if (records.length === 0) return plain;
  const body = Buffer.from(records.map(([key, value]) => paxRecord(key, value)).join(''));
  const extended = plainHeader({
    path: 'pax/header',
    type: typeFlag.extended,
    mode: 0o644,
    owner: 0,
    size: body.length,
    target: '',
  });
  return Buffer.concat([extended, body, padding(body.length), plain]);
}

function plainHeader({ path, type, mode, owner, size, target }: Header): Buffer {
  const header = Buffer.alloc(block);
  const [prefix, name] = splitPath(path) ?? ['', Buffer.from(path).subarray(0, 100).toString()];
  const octal = (value: number, length: number, at: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'ascii');
  header.write(name, 0);
  octal(mode, 8, 100);
  octal(owner, 8, 108);
  octal(owner, 8, 116);
  octal(size, 12, 124);
  octal(0, 12, 136);
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  header.write(target, 157);
  header.write('ustar\x0000', 257, 'ascii');
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

/** The two fields a name may be spread over; undefined when it fits neither way. */
function splitPath(path: string): readonly [prefix: string, name: string] | undefined {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let at = path.indexOf('/'); at !== -1 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name];
  }
  return undefined;
}

/** `LENGTH key=value\n`, where the length counts its own digits too. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length++;
  return `${length} ${key}=${value}\n`;
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}
