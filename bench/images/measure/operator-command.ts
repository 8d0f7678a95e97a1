import { readFileSync } from 'node:fs';

/** How a program is started: settings of its environment, and flags of Node before its file. */
export interface Command {
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

/** How `npm run operator` starts it, so that what is measured is what people run. */
export function operatorCommand(): Command {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return parseCommand((JSON.parse(text) as { scripts: { operator: string } }).scripts.operator);
}

/** `NAME=value … node --flag … FILE` */
export function parseCommand(script: string): Command {
  const [before = '', after] = script.split(/(?:^| )node /);
  if (after === undefined) throw new Error(`expected a script that runs node, got "${script}"`);
  const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
  const env = Object.fromEntries(
    words(before).map((setting) => [setting.split('=')[0], setting.slice(setting.indexOf('=') + 1)]),
  );
  return { env, flags: words(after).filter((word) => word.startsWith('--')) };
}
