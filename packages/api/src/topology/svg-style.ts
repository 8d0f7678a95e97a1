/** The colours of a drawing, for a light and a dark page. No custom properties: not everything that shows SVG knows them. */

type Theme = {
  readonly page: string;
  readonly lane: string;
  readonly card: string;
  readonly border: string;
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly rails: readonly string[];
  readonly ready: string;
  readonly provisioning: string;
  readonly failed: string;
};

const light: Theme = {
  page: '#ffffff',
  lane: '#f5f7fa',
  card: '#ffffff',
  border: '#c4ccd8',
  text: '#182230',
  faint: '#5b6778',
  line: '#8b97a8',
  rails: ['#2f6fde', '#0e8a6d', '#b3590b', '#8a45d6', '#c02f6d', '#0b7fa3', '#5f7d12', '#a8442a', '#4f5fd0', '#77653c'],
  ready: '#12915a',
  provisioning: '#c07a06',
  failed: '#d0342c',
};

const dark: Theme = {
  page: '#10151d',
  lane: '#171e29',
  card: '#1f2836',
  border: '#3d4a5e',
  text: '#e8edf4',
  faint: '#9dabbe',
  line: '#73829a',
  rails: ['#6fa3ff', '#3fd0a8', '#f2a25a', '#bd8cff', '#ff82b2', '#4cc5ec', '#a9cf4a', '#f08d73', '#98a4ff', '#cdb884'],
  ready: '#3ddc8c',
  provisioning: '#f5b83d',
  failed: '#ff7a70',
};

/** How many colours networks take turns in. */
export const railColours = light.rails.length;

function rules(theme: Theme): string {
  const rail = theme.rails.flatMap((colour, index) => [
    `.terrain .n${index}{stroke:${colour}}`,
    `.terrain .f${index}{fill:${colour}}`,
  ]);
  return [
    `.terrain .page{fill:${theme.page}}`,
    `.terrain .lane{fill:${theme.lane}}`,
    `.terrain .card{fill:${theme.card};stroke:${theme.border}}`,
    `.terrain .text{fill:${theme.text}}`,
    `.terrain .faint{fill:${theme.faint}}`,
    `.terrain .line{stroke:${theme.line}}`,
    `.terrain .icon{stroke:${theme.faint}}`,
    `.terrain .gap{stroke:${theme.lane}}`,
    `.terrain .dot{stroke:${theme.page}}`,
    `.terrain .wrong{stroke:${theme.failed}}`,
    `.terrain .wrong-text{fill:${theme.failed}}`,
    `.terrain .ready{fill:${theme.ready}}`,
    `.terrain .provisioning{fill:${theme.provisioning}}`,
    `.terrain .failed{fill:${theme.failed}}`,
    ...rail,
  ].join('');
}

/** The style sheet of a drawing. Every rule is below the class `terrain`, so that one inside a page leaves the page alone. */
export const styleSheet: string = [
  '.terrain{color-scheme:light dark}',
  '.terrain text{font-family:ui-sans-serif,system-ui,"Segoe UI",Roboto,"DejaVu Sans",Arial,sans-serif}',
  '.terrain .mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}',
  '.terrain .strong{font-weight:600}',
  rules(light),
  `@media (prefers-color-scheme:dark){${rules(dark)}}`,
].join('');
