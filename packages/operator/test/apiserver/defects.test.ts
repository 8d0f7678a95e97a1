/** What an operator for the same job got wrong, and what would tell if this one did. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const suites = 'test/apiserver';
const units = 'src/controllers/vmdiskimage';
const predecessor = `${suites}/predecessor.test.ts`;

const drained = 'a queue is drained, in order and within the limit, each image downloaded once, though ';

/** By defect: the file and the whole name of the test that would catch it. */
const defects: Record<string, readonly [file: string, name: string]> = {
  'a slot goes to whoever asks next, not to the first in the queue': [
    `${suites}/drain.test.ts`,
    'a queue is drained in order, never above the limit, with six writes an image',
  ],
  'queued and syncing objects are polled, and each wait writes an event': [
    predecessor,
    'who waits asks for nothing and says nothing',
  ],
  'active syncs are counted from a cache, and the download starts before it counts': [
    'test/faults/drain.test.ts',
    `${drained}the operator dies every few writes`,
  ],
  'no DataVolume found means ready': [
    `${suites}/healing.test.ts`,
    'a DataVolume deleted by hand ends its attempt, and is never called Ready',
  ],
  'the snapshot is made with the DataVolume and never looked at': [predecessor, 'the snapshot is cut when all data is there'],
  'the time of an attempt starts in the queue and never again': [
    `${units}/decide.test.ts`,
    'step: waited for its slot longer than an attempt may take: only the time with the slot counts',
  ],
  'a retry without a stored failure crashes; a registry without certificates is enough': [
    `${suites}/preflight.test.ts`,
    'all sources are passed on as CDI wants them',
  ],
  'attempts are not limited, and failures to create are not counted': [
    `${suites}/failures.test.ts`,
    'every failure ends as it should, after as many downloads as it should',
  ],
  'a failure takes the finalizer off': [predecessor, 'a failed attempt leaves the finalizer alone'],
  'teardown goes on after a status that could not be written, and nobody comes back': [
    `${units}/crash.test.ts`,
    'a life of images is the same whichever write the operator dies at, or has no answer to',
  ],
  'errors of a deletion are swallowed, and the finalizer goes before the children': [
    predecessor,
    'a deletion that fails is tried again',
  ],
  'a conflict becomes a failure': [predecessor, 'somebody who writes all the time makes nothing fail'],
  'a hiccup of the API ends a nearly finished download': [
    'test/faults/drain.test.ts',
    `${drained}requests are refused, throttled and broken off`,
  ],
  'the same name in two namespaces shares one fate': [
    `${suites}/removal.test.ts`,
    'the same name in two namespaces: the fate of one does not touch the other',
  ],
  'a loose label decides what is deleted, and long names break it': [predecessor, 'what only looks like a child is left alone'],
  '404 in any text is a missing source, other permanent failures are not seen': [
    `${suites}/failures.test.ts`,
    'an image whose name is a status code is downloaded once',
  ],
  'a retry uses the names of the attempt before': [
    `${suites}/healing.test.ts`,
    'a DataVolume deleted by hand ends its attempt, and is never called Ready',
  ],
  'a changed spec is ignored': [
    `${suites}/healing.test.ts`,
    'a new source is downloaded while the old snapshot stays; then the old one goes',
  ],
  'sources are passed on in part, secrets asked for where none is needed': [
    `${suites}/preflight.test.ts`,
    'all sources are passed on as CDI wants them',
  ],
  'two managers run at once': ['src/config.test.ts', 'without flags and settings'],
  'texts are taken for formats, and rights are missing': [predecessor, 'texts are told as they are, and no right is missing'],
  'one attempt may be any number of downloads': [
    `${suites}/failures.test.ts`,
    'every failure ends as it should, after as many downloads as it should',
  ],
};

test('every defect has a test that would catch it', async (t) => {
  assert.equal(hasTest("test('a whole name', () => {});", 'a whole'), false);
  assert.equal(Object.keys(defects).length, 22);
  const root = join(import.meta.dirname, '../..');
  for (const [defect, [file, name]] of Object.entries(defects))
    await t.test(defect, () => {
      const source = readFileSync(join(root, file), 'utf8');
      assert.ok(hasTest(source, name), `${file} has no test "${name}"`);
    });
});

/** Whether a test has this name: as it stands, or put together from a template and a key of the file's table. */
function hasTest(source: string, name: string): boolean {
  if (source.includes(`test('${name}', `)) return true;
  const templates = [...source.matchAll(/test\(`([^`$]*)\$\{name\}`, /g)].map(([, head = '']) => head);
  return templates.some((head) => name.startsWith(head) && source.includes(`\n  '${name.slice(head.length)}': `));
}
