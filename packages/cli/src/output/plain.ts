/** One line without control characters: what others wrote must not steer the terminal it is shown in. */
export function plain(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
}
