/** A failed test as the reporter prints it: a line that begins with a cross, and indented or empty lines. */
const block = /^(✖ .*\n)((?:(?: {4}.*)?\n)*)/gm;

/**
 * The tests that failed, in the words of the reporter, for the last page of a log: long words are shortened, and tests that failed with the same
 * words (a set-up that failed fails every test) are named one below the other, with the words once.
 */
export function failuresIn(output: string, mostLines = 30): string[] {
  const testsByWords = new Map<string, string[]>();
  for (const [, name = '', words = ''] of output.matchAll(block)) {
    const tests = testsByWords.get(words.trimEnd()) ?? [];
    testsByWords.set(words.trimEnd(), [...tests, name.trimEnd()]);
  }
  return [...testsByWords].map(([words, tests]) => [...firstOf(tests), ...shortened(words.split('\n'), mostLines)].join('\n'));
}

function firstOf(tests: readonly string[], most = 3): string[] {
  return tests.length <= most ? [...tests] : [...tests.slice(0, most), `✖ … and ${tests.length - most} more with the same words`];
}

function shortened(lines: readonly string[], most: number): string[] {
  return lines.length <= most ? [...lines] : [...lines.slice(0, most), `    … ${lines.length - most} more lines above`];
}
