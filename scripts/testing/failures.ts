/** A failed test as the reporter prints it: a line that begins with a cross, and indented or empty lines. */
const block = /^✖ .*\n(?:(?: {4}.*)?\n)*/gm;

/** The tests that failed, in the words of the reporter; long ones shortened, so that the last page of a log shows all. */
export function failuresIn(output: string, mostLines = 30): string[] {
  return [...output.matchAll(block)].map(([text]) => {
    const lines = text.trimEnd().split('\n');
    if (lines.length <= mostLines) return lines.join('\n');
    return [...lines.slice(0, mostLines), `    … ${lines.length - mostLines} more lines above`].join('\n');
  });
}
