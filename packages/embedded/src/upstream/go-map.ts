import { EmbeddedError } from '#embedded-error.ts';

/**
 * Reads a Go source file whose content is one map from names to raw strings, as generators write them:
 * a line that begins with a tab and a quoted key, then text between backticks, then a comma.
 * A backtick inside the text is spelled as three pieces: the raw string ends, `"`"` is added, a raw string begins again.
 */
export function parseGoStringMap(source: string): Map<string, string> {
  const entries = new Map<string, string>();
  const start = /^\t"([a-z]+)": `/gm;
  for (let match = start.exec(source); match !== null; match = start.exec(source)) {
    const key = match[1]!;
    const end = closingBacktick(source, start.lastIndex);
    if (end === -1) throw new EmbeddedError('UpstreamChanged', `The text of "${key}" in a generated Go file does not end.`);
    entries.set(key, source.slice(start.lastIndex, end).replaceAll(splicedBacktick, '`'));
    start.lastIndex = end;
  }
  return entries;
}

const splicedBacktick = '` + "`" + `';

function closingBacktick(source: string, from: number): number {
  let at = source.indexOf('`', from);
  while (at !== -1 && source.startsWith(splicedBacktick, at)) at = source.indexOf('`', at + splicedBacktick.length);
  return at;
}
