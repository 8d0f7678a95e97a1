/**
 * Values as YAML that every reader of cloud-init data reads alike.
 *
 * The text is JSON, which is YAML, in plain ASCII: every string is quoted, so that nothing in it can be a tag, a comment, an alias or
 * another type, and everything outside ASCII is escaped, because PyYAML refuses some characters as they are, folds others (U+0085,
 * U+2028) into blanks, and reads a pair of surrogates as two characters.
 */

/** One value as a YAML document, with a newline at its end. Only finite numbers, strings, booleans, lists and plain objects. */
export function toYaml(value: unknown): string {
  return `${JSON.stringify(value, wellFormed, 2).replace(/[^\x20-\x7e\n]/gu, escaped)}\n`;
}

/** A text as one line of YAML, also inside a comment. */
export const toYamlLine = (text: string): string => JSON.stringify(text.toWellFormed()).replace(/[^\x20-\x7e]/gu, escaped);

/** Half a surrogate pair cannot be written as UTF-8; a guest would fail to store it. */
const wellFormed = (_key: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}
