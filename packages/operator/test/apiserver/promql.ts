/** Just enough of PromQL to know what an expression asks for. */

/** A metric an expression names, with the labels it is selected or grouped by. */
export interface Asked {
  readonly name: string;
  readonly labels: readonly string[];
}

const string = /"(?:[^"\\]|\\.)*"/g;
const token = /\w+\s+by\s*\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|[a-zA-Z_:][\w:]*\s*\(|[a-zA-Z_:][\w:]*|[()]/g;
const operators = new Set(['and', 'or', 'unless']);
const words = (text: string): string[] => [...text.matchAll(/[a-zA-Z_]\w*/g)].map(([word]) => word);

/**
 * Finds every metric of an expression.
 *
 * Caveats: knows groupings only where they stand before what they group: `sum by (a) (b)`, not `sum(b) by (a)`.
 */
export function metricsOf(expression: string): readonly Asked[] {
  const asked: { readonly name: string; readonly labels: string[] }[] = [];
  /** The labels each open parenthesis groups by. */
  const open: string[][] = [];
  let grouping: string[] = [];
  for (const [text] of expression.replaceAll(string, '""').matchAll(token)) {
    if (/\sby\s*\(/.test(text)) grouping = words(text.slice(text.indexOf('(')));
    else if (text.endsWith('(')) {
      open.push(grouping);
      grouping = [];
    } else if (text === ')') open.pop();
    else if (text.startsWith('{')) asked.at(-1)?.labels.unshift(...words(text));
    else if (!text.startsWith('[') && !operators.has(text)) asked.push({ name: text, labels: open.flat() });
  }
  return asked;
}
