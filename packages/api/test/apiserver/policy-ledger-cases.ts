/** What somebody may write into the ledger, and which downloads it lets start. */
import { type LedgerEntry, ledgerSchema } from '@terrain/api';

/** A ledger with entries for these images, each the text of a real entry. */
export function ledgerData(limit: string | undefined, ...images: readonly string[]): Record<string, string> {
  const entry = (seq: number) => ({
    image: `team-a/${images[seq - 1]}`,
    attempt: 1,
    seq,
    since: '2026-01-15T10:00:00Z',
    state: 'open',
  });
  return {
    schema: ledgerSchema,
    seq: '9',
    ...(limit === undefined ? {} : { limit }),
    ...Object.fromEntries(images.map((image, n) => [`entry.${image}`, JSON.stringify(entry(n + 1))])),
  };
}

/** A change of a ledger that has limit 2 and the entries a and b. Without words it is accepted. */
export type Change = { readonly to: Record<string, string> | undefined; readonly words?: RegExp };

const tooMany = (entries: number, limit: string) =>
  new RegExp(
    `The ledger would hold ${entries} entries with a limit of "${limit}": wait until enough are released, or raise concurrency in the ConfigMap sync-operator-policy`,
  );

export const changes: Readonly<Record<string, Change>> = {
  'nothing new': { to: ledgerData('2', 'a', 'b') },
  'an entry more than the limit': { to: ledgerData('2', 'a', 'b', 'c'), words: tooMany(3, '2') },
  'an entry more, and the limit raised with it': { to: ledgerData('3', 'a', 'b', 'c') },
  'two entries more, and the limit raised by one': { to: ledgerData('3', 'a', 'b', 'c', 'd'), words: tooMany(4, '3') },
  'one released, one admitted': { to: ledgerData('2', 'b', 'c') },
  'all released': { to: ledgerData('2') },
  'the limit lowered below what runs': { to: ledgerData('1', 'a', 'b') },
  'the limit lowered to zero': { to: ledgerData('0', 'a', 'b') },
  'one released while above the limit': { to: ledgerData('0', 'a') },
  'one released and one admitted while above the limit': { to: ledgerData('1', 'b', 'c'), words: tooMany(2, '1') },
  'one admitted while paused': { to: ledgerData('0', 'c'), words: tooMany(1, '0') },
  'an entry that is closing': {
    to: { ...ledgerData('2', 'a', 'b'), 'entry.a': ledgerData('2', 'a')['entry.a']!.replace('open', 'closing') },
  },
  'a limit that is no number': { to: ledgerData('many', 'a', 'b', 'c'), words: tooMany(3, 'many') },
  'a limit below zero': { to: ledgerData('-1', 'a', 'c'), words: tooMany(2, '-1') },
  'a limit beyond all bounds': { to: ledgerData('99999', 'a', 'b', 'c'), words: tooMany(3, '99999') },
  'no limit at all': { to: ledgerData(undefined, 'a', 'b', 'c'), words: tooMany(3, '') },
  'another key': { to: { ...ledgerData('2', 'a', 'b'), 'policy.imageNamespace': 'farm', note: 'entry.' } },
  'no data at all': { to: undefined },
};

/** A DataVolume for the attempt of an image, while the ledger has an entry for it. Without words it is accepted. */
export type Download = {
  readonly entry?: Partial<LedgerEntry>;
  readonly attempt?: string;
  readonly owner?: object | null;
  readonly words?: RegExp;
};

export const downloads: Readonly<Record<string, Download>> = {
  'an open entry': { entry: {} },
  'no entry': {
    words:
      /DataVolume team-a\/disk is attempt 3 of a disk image, and the ledger has no open entry for it \(no entry at all\): only/,
  },
  'an entry that is closing': {
    entry: { state: 'closing' },
    words: /no open entry for it \(found \{"image":"team-a\/image",.*"state":"closing"\}\)/,
  },
  'an entry of another attempt': { entry: { attempt: 4 }, words: /is attempt 3 .* \(found .*"attempt":4,/ },
  'an entry of a longer attempt number': { entry: { attempt: 33 }, words: /is attempt 3 .* \(found .*"attempt":33,/ },
  'an entry whose seq looks like the attempt': {
    entry: { attempt: 4, seq: 3 },
    words: /is attempt 3 .* \(found .*"attempt":4,"seq":3,/,
  },
  'an entry of an image in another namespace': {
    entry: { image: 'vmdi-farm/image' },
    words: /\(found \{"image":"vmdi-farm\/image"/,
  },
  'no owner': { entry: {}, owner: null, words: /\(no VMDiskImage owns it\)/ },
  'an owner of another kind': { entry: {}, owner: { kind: 'VirtualMachine' }, words: /\(no VMDiskImage owns it\)/ },
  'an owner of another group': { entry: {}, owner: { apiVersion: 'example.com/v1' }, words: /\(no VMDiskImage owns it\)/ },
  'an owner with another UID': { entry: {}, owner: { uid: 'other' }, words: /\(no entry at all\)/ },
  'no attempt label: not one of ours': { attempt: '', owner: null },
};
