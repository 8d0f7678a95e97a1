/** Text in a drawing: escaped, measured, and cut where it would not fit. */

/** Shares of the font size. Generous, so that text fits in whatever font the reader has. */
const advance = { mono: 0.61, sans: 0.6, strong: 0.66 } as const;

/** A way to write. */
export type Font = { readonly family: keyof typeof advance; readonly size: number };

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is safe in an element and in an attribute. Characters that XML does not know are left out. */
export const escapeXml = (text: string): string => text.replaceAll(/\p{C}/gu, '').replaceAll(/[&<>"']/g, (one) => escapes[one]!);

/** How wide a text is at most. */
export const widthOf = (text: string, { family, size }: Font): number => Math.ceil([...text].length * size * advance[family]);

/** The text, or as much of its beginning and end as fits: the end of a name is often what tells it from the next. */
export function fitted(text: string, width: number, font: Font): string {
  const letters = [...text];
  const room = Math.max(3, Math.floor(width / (font.size * advance[font.family])));
  if (letters.length <= room) return text;
  const tail = Math.floor((room - 1) / 3);
  return `${letters.slice(0, room - 1 - tail).join('')}…${letters.slice(letters.length - tail).join('')}`;
}
