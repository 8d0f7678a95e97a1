import { kinds } from '#kinds.ts';
import { indexPage } from './index-page.ts';
import { kindPage, pageName } from './page.ts';

const footer = '\n\n<!-- Generated from packages/api/src by `npm run generate`. Do not edit. -->\n';

/** Files this generator owns: path from the root of the repository, and content. */
export function referenceFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/reference/README.md', indexPage(kinds) + footer],
    ...kinds.map((definition): [string, string] => [
      `docs/reference/${pageName(definition)}`,
      kindPage(definition, kinds) + footer,
    ]),
  ]);
}
