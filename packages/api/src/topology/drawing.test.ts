import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Workspace } from '#workspace/schema.ts';
import { anyLab, labOf, validLab } from './lab.arbitrary.ts';
import { exampleLab } from './lab.example.ts';
import { topologyOf } from './model.ts';
import { drawSvg } from './svg-drawing.ts';
import { drawText } from './text-drawing.ts';

const file = join(import.meta.dirname, '../../../../examples/seeds/000-workspace.yaml');
const { metadata, spec } = parse(readFileSync(file, 'utf8')) as Workspace;

test('the example as text', () => {
  assert.equal(
    drawText(topologyOf(metadata.name, spec)),
    `demo-workspace-1: 6 networks, 1 VM, 2 container clusters, 2 volumes

control-net  10.10.0.0/24
├─ demo-vm  10.10.0.161/24  VM          stopped; also on bridge-inet, bridge-edge
└─ ansible  10.10.0.141/24  containers

capture-net  10.10.1.0/24
└─ (nothing attached)

bridge-inet  4.29.163.0/28
├─ demo-vm   4.29.163.6/28  VM          stopped; also on control-net, bridge-edge
├─ demo-app  4.29.163.7/28  containers  ports 53/udp; dns
└─ gateway   4.29.163.14    way out     → 0.0.0.0/0

bridge-edge  172.27.11.0/28  dns 4.29.163.7 (demo-app)
├─ demo-vm   172.27.11.11/28  VM  stopped; → 0.0.0.0/0; also on control-net, bridge-inet
└─ (nobody)  172.27.11.12         → 172.26.0.0/15

edge-fw  172.26.5.0/28  dns 4.29.163.7 (demo-app)
├─ (nobody)  172.26.5.11    → 0.0.0.0/0
└─ (nobody)  172.26.5.12    → 172.26.0.0/16

range-services  172.26.1.0/24  dns 172.26.1.101
└─ (nobody)  172.26.1.254    → 0.0.0.0/0
`,
  );
});

test('the parts of a live lab show their state, in text and picture', () => {
  const topology = topologyOf('lab', exampleLab, [
    { kind: 'VirtualMachine', name: 'router', phase: 'Failed', message: 'no <image>' },
    { kind: 'Network', name: 'lan', phase: 'Ready' },
  ]);
  assert.match(drawText(topology), /^├─ router +10\.10\.0\.1\/24 +VM .*; Failed: no <image>$/m);
  assert.match(drawText(topology), /^lan {2}10\.10\.0\.0\/24 {2}Ready$/m);
  assert.match(drawSvg(topology), /class="failed"><title>Failed: no &lt;image&gt;<\/title>/);
});

test('a network that is not defined, and a machine on none, are drawn as what they are', () => {
  const lab = structuredClone(exampleLab);
  lab.vms[1]!.interfaces = [{ network: 'lost', ipAddress: '10.9.0.1/24', macAddress: '02:00:5e:10:00:09' }];
  lab.containerClusters[0]!.interfaces = [];
  const topology = topologyOf('lab', lab);
  assert.match(drawText(topology), /^lost {2}not defined\n└─ web {2}10\.9\.0\.1\/24 {2}VM$/m);
  assert.match(drawText(topology), /^on no network of the lab\n└─ dns/m);
  assert.match(drawSvg(topology), /class="wrong-text mono"[^>]*>not defined</);
});

test('nothing in a name becomes markup, and nothing in it steers a terminal', () => {
  const evil = `</text><script>alert("1")</script>&\u0000\u001b[31m`;
  const topology = topologyOf(evil, {
    networks: [{ name: evil, cidr: evil, rangeGateway: evil }],
    vms: [
      {
        name: evil,
        backingVMDiskImage: 'x',
        resources: { cpu: evil, memory: evil },
        interfaces: [{ network: evil, ipAddress: evil }],
      },
    ],
  });
  assert.doesNotMatch(drawSvg(topology), /<script|[^\P{Cc}\n]|&(?!amp;|lt;|gt;|quot;|#39;)/u);
  assert.doesNotMatch(drawText(topology), /[^\P{Cc}\n]/u);
});

test('light and dark, without anything from outside', () => {
  const svg = drawSvg(topologyOf(metadata.name, spec));
  assert.match(svg, /@media \(prefers-color-scheme:dark\)/);
  assert.doesNotMatch(svg.replace('xmlns="http://www.w3.org/2000/svg"', ''), /https?:|url\(|<image|<script|href/);
});

type Box = {
  readonly words: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

/** Where each text of a picture is, with the widths of common fonts. */
function boxesOf(svg: string): Box[] {
  return [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"([^>]*)>(.*?)<\/text>/g)].flatMap(([, x, y, rest = '', inner = '']) => {
    const runs = inner
      .replace(/<title>.*?<\/title>/, '')
      .split('</tspan>')
      .filter((run) => run !== '');
    const words = runs.map((run) => run.replace(/<tspan.*?>/, '').replaceAll(/&[^;]+;/g, '&'));
    if (words.join('') === '') return [];
    const sizeOf = (text: string): number => Number(/font-size="([\d.]+)"/.exec(text)?.[1] ?? 0);
    const widths = runs.map(
      (run, index) => [...words[index]!].length * (sizeOf(run) || sizeOf(rest)) * 0.6 + (run.includes('dx=') ? 9 : 0),
    );
    const size = Math.max(sizeOf(rest), ...runs.map(sizeOf));
    const left = Number(x);
    const right = left + widths.reduce((sum, width) => sum + width, 0);
    return [{ words: words.join(' '), left, right, top: Number(y) - size * 0.75, bottom: Number(y) + size * 0.2 }];
  });
}

function overlapsIn(svg: string): string[] {
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)!.map(Number) as [number, number, number];
  const boxes = boxesOf(svg).sort((a, b) => a.top - b.top);
  const outside = boxes.filter(({ right, bottom }) => right > width || bottom > height).map(({ words }) => `${words} is cut off`);
  const pairs = boxes.flatMap((a, index) => {
    const found: string[] = [];
    for (let other = index + 1; other < boxes.length && boxes[other]!.top < a.bottom; other++) {
      const b = boxes[other]!;
      if (a.left < b.right && b.left < a.right) found.push(`${a.words} over ${b.words}`);
    }
    return found;
  });
  return [...outside, ...pairs];
}

test('no label lies over another or outside the picture', () => {
  assert.deepEqual(overlapsIn(drawSvg(topologyOf(metadata.name, spec))), []);
  assert.deepEqual(overlapsIn(drawSvg(topologyOf('largest', labOf(1)))), []);
  fc.assert(
    fc.property(validLab, (lab) => assert.deepEqual(overlapsIn(drawSvg(topologyOf('lab', lab))), [])),
    { numRuns: 50 },
  );
});

test('names and addresses of common length are shown whole, long ones cut with the whole as a tooltip', () => {
  const cut = /class="text (mono|strong)"[^>]*>(<title>[^<]*<\/title>)?[^<]*…/;
  for (const lab of [spec, labOf(1)]) assert.doesNotMatch(drawSvg(topologyOf('lab', lab)), cut);
  const name = 'machine-'.padEnd(63, 'x');
  const long = { name, backingVMDiskImage: 'x', resources: { cpu: 1, memory: '1Gi' } };
  assert.match(drawSvg(topologyOf('lab', { vms: [long] })), new RegExp(`<title>${name}</title>machine-x+…x+</text>`));
});

test('a label over another is found', () => {
  const svg = drawSvg(topologyOf(metadata.name, spec));
  assert.notDeepEqual(overlapsIn(svg.replaceAll(/ x="[\d.]+"/g, ' x="30"')), []);
});

test('every card of a lab is drawn once', () => {
  fc.assert(
    fc.property(validLab, (lab) => {
      const cards = [...(lab.vms ?? []), ...(lab.containerClusters ?? [])].flatMap(({ interfaces = [] }) => interfaces).length;
      const dots = drawSvg(topologyOf('lab', lab)).match(/class="dot /g)?.length ?? 0;
      assert.equal(dots, cards + (lab.deployRunner === undefined ? 0 : 1));
    }),
    { numRuns: 50 },
  );
});

test('anything is drawn without a throw, and the same each time', () => {
  fc.assert(
    fc.property(anyLab, (lab) => {
      assert.equal(drawSvg(topologyOf('lab', lab)), drawSvg(topologyOf('lab', structuredClone(lab))));
      assert.equal(drawText(topologyOf('lab', lab)), drawText(topologyOf('lab', structuredClone(lab))));
    }),
    { numRuns: 200 },
  );
});
