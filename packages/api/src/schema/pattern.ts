/** What the patterns of common fields demand, in words, so that nobody has to read them. */
import { durationPattern } from '#common/duration.ts';
import { dnsLabel, labelValue, objectName, objectNameOrEmpty } from '#common/field.ts';
import type { Node } from './node.ts';

type Words = {
  /** The characters allowed; empty when the type says it all. */
  readonly characters: string;
  /** What is wrong with a value that does not match. */
  readonly rule: string;
};

const patternOf = (field: object): string => {
  const { pattern } = field as Node;
  if (pattern === undefined) throw new TypeError('a field without a pattern needs no words for it');
  return pattern;
};

const ofCharacters = (characters: string): Words => ({
  characters,
  rule: `but may hold only ${characters}, and must begin and end with a letter or digit`,
});

const known: ReadonlyMap<string, Words> = new Map([
  [patternOf(dnsLabel('')), ofCharacters('lower-case letters, digits and dashes')],
  [patternOf(objectName('')), ofCharacters('lower-case letters, digits, dashes and dots')],
  [patternOf(objectNameOrEmpty('')), ofCharacters('lower-case letters, digits, dashes and dots')],
  [patternOf(labelValue('')), ofCharacters('letters, digits and any of - _ .')],
  [durationPattern, { characters: '', rule: 'but must be a duration such as 90s, 30m or 2h' }],
]);

/** Words for a pattern; the pattern itself where there are none. */
export const patternInWords = (pattern: string): Words =>
  known.get(pattern) ?? { characters: `matches \`${pattern}\``, rule: `which does not match ${pattern}` };
