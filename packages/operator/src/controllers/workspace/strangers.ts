/**
 * What somebody put into a child that is no part of it. Applying a manifest leaves such things alone, because they belong to whoever put them there;
 * some of them would open or change the lab all the same: a port, a container, a peer of the policy that isolates it. Pure.
 */
import type { KubeObject } from '@terrain/runtime';

type Fields = Readonly<Record<string, unknown>>;

/** Where nothing at all may be besides what is asked for: the API server adds nothing there by itself. */
const wholeParts: Readonly<Record<string, readonly string[]>> = { NetworkPolicy: ['/spec'], Service: ['/spec/selector'] };
/** Lists that are never asked for, and must stay empty. */
const emptyLists: Readonly<Record<string, readonly string[]>> = { Deployment: ['/spec/template/spec/initContainers'] };

/** JSON pointers to the strangers in a child, in an order in which they can be removed. Lists count as far as they are asked for. */
export function strangersIn(desired: KubeObject, actual: KubeObject): string[] {
  const { kind } = desired;
  const found = strangers({ spec: specOf(desired) }, { spec: specOf(actual) }, '', wholeParts[kind] ?? []);
  const filled = (emptyLists[kind] ?? []).filter((pointer) => at(actual, pointer) !== undefined);
  return [...found, ...filled];
}

/**
 * Which strangers are to be removed, and which are not worth it: those that were there again in the very answer to their removal. Somebody's admission
 * puts them there, and would do so for ever.
 */
export class Strangers {
  readonly #lasting = new Set<string>();

  in(desired: KubeObject, actual: KubeObject): string[] {
    return strangersIn(desired, actual).filter((pointer) => !this.#lasting.has(idOf(actual, pointer)));
  }

  /** To be told what the child was after a removal. */
  removed(desired: KubeObject, answer: KubeObject): void {
    if (this.#lasting.size > most) this.#lasting.clear();
    for (const pointer of strangersIn(desired, answer)) this.#lasting.add(idOf(answer, pointer));
  }
}

/** More than any cluster has whose admission does so; beyond it a removal is tried once more. */
const most = 10_000;
const idOf = ({ metadata }: KubeObject, pointer: string): string => `${metadata.uid}${pointer}`;

const specOf = (object: KubeObject): unknown => (object as { readonly spec?: unknown }).spec;

function strangers(desired: unknown, actual: unknown, where: string, wholes: readonly string[]): string[] {
  if (Array.isArray(desired) && Array.isArray(actual)) return strangersInList(desired, actual, where, wholes);
  if (!isFields(desired) || !isFields(actual)) return [];
  const isWhole = wholes.some((whole) => where === whole || where.startsWith(`${whole}/`));
  return Object.keys(actual).flatMap((key) => {
    const pointer = `${where}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (desired[key] === undefined) return isWhole ? [pointer] : [];
    return strangers(desired[key], actual[key], pointer, wholes);
  });
}

/** From the last to the first, so that removing one does not move the others. */
function strangersInList(
  desired: readonly unknown[],
  actual: readonly unknown[],
  where: string,
  wholes: readonly string[],
): string[] {
  if (actual.length === desired.length)
    return actual.flatMap((item, index) => strangers(desired[index], item, `${where}/${index}`, wholes));
  const known = new Set(desired.map(identityOf));
  const pointers = actual.flatMap((item, index) => (known.has(identityOf(item)) ? [] : [`${where}/${index}`]));
  // Anything else is for the next apply to settle: a list without names is written as a whole.
  return pointers.length === actual.length - desired.length ? pointers.reverse() : [];
}

/** What an item is known by in lists of the API. */
function identityOf(item: unknown): unknown {
  if (!isFields(item)) return item;
  const { mountPath, name, containerPort, protocol = 'TCP' } = item;
  return (
    mountPath ?? name ?? (containerPort === undefined ? JSON.stringify(item) : `${String(containerPort)}/${String(protocol)}`)
  );
}

function at(object: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (isFields(value) ? value[key] : undefined), object);
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
