/** The little Markdown the reference pages are made of. */

/** Text outside a table. `<name>` would vanish as an unknown tag, except in code, where it is shown as it is. */
export const prose = (text: string): string =>
  text
    .split('`')
    .map((piece, index) => (index % 2 === 0 ? piece.replaceAll('<', '&lt;') : piece))
    .join('`');

/** Text as a table cell: one line, and no character that would end the cell. A pipe does so even in code. */
export const cell = (text: string): string =>
  prose(text)
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');

/** Text as code. */
export const code = (text: string): string => `\`${text}\``;

/** A table; columns that are empty in every row are left out. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const used = headings.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]): string => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The anchor GitHub gives a heading. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A link to a heading on the same page, or on another one. */
export const link = (text: string, heading: string, page = ''): string => `[${text}](${page}#${anchor(heading)})`;
