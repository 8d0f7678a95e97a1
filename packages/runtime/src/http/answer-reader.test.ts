import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AnswerReader } from './answer-reader.ts';

type Told = { code: number; headers: Record<string, unknown>; pieces: string[]; isLast: boolean | 'not over' };

/** What a sink is told of these bytes, cut like this, and by the end of the connection if it comes. */
function read(parts: readonly Buffer[], { closes = false } = {}): Told[] {
  const told: Told[] = [];
  const reader = new AnswerReader({
    head: (code, headers) => void told.push({ code, headers, pieces: [], isLast: 'not over' }),
    body: (piece) => void told.at(-1)!.pieces.push(piece.toString('latin1')),
    end: (isLast) => {
      told.at(-1)!.isLast = isLast;
    },
  });
  for (const part of parts) reader.push(part);
  if (closes) reader.close();
  return told;
}

const readText = (text: string, options = {}): Told[] => read([Buffer.from(text, 'latin1')], options);

function cutAt(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const ends = [...new Set([...places.map((place) => place % bytes.length), bytes.length])].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

const piece = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '0', ':', '{', '\u00e4'), minLength: 1, maxLength: 12 });
const answer = fc.record({
  code: fc.constantFrom(200, 201, 404, 500),
  pieces: fc.array(piece, { maxLength: 4 }),
  isChunked: fc.boolean(),
  extension: fc.constantFrom('', ';a=b', ' ;x'),
  trailer: fc.constantFrom('', 'expires: never\r\n'),
  news: fc.constantFrom('', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
});

test('however the bytes of answers are cut, the same answers are told', () => {
  fc.assert(
    fc.property(fc.array(answer, { minLength: 1, maxLength: 4 }), fc.array(fc.nat()), (answers, places) => {
      const texts = answers.map(({ code, pieces, isChunked, extension, trailer, news }) => {
        const body = pieces.join('');
        if (!isChunked) return `${news}HTTP/1.1 ${code} Fine\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
        const chunks = pieces.map((each) => `${each.length.toString(16)}${extension}\r\n${each}\r\n`).join('');
        return `${news}HTTP/1.1 ${code} Fine\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n${trailer}\r\n`;
      });
      const whole = read(texts.map((text) => Buffer.from(text, 'latin1')));
      assert.deepEqual(
        whole.map(({ code, pieces, isLast }) => [code, pieces.join(''), isLast]),
        answers.map(({ code, pieces }) => [code, pieces.join(''), false]),
      );
      // What the server sent apart is told apart.
      for (const [index, { isChunked, pieces }] of answers.entries())
        if (isChunked) assert.deepEqual(whole[index]?.pieces, pieces);
      const joined = (told: Told[]): unknown => told.map(({ pieces, ...rest }) => ({ ...rest, body: pieces.join('') }));
      assert.deepEqual(joined(read(texts.flatMap((text) => cutAt(text, places)))), joined(whole));
    }),
  );
});

test('a header said once is a text, one said several times a list; names are in lower case', () => {
  const [told] = readText(
    'HTTP/1.1 200 OK\r\nWarning: 299 - "a"\r\nWARNING:299 - "b"\r\nDate:  now \r\nContent-Length: 0\r\n\r\n',
  );
  assert.deepEqual(told?.headers, { warning: ['299 - "a"', '299 - "b"'], date: 'now', 'content-length': '0' });
});

test('after the answer that says so, and after one of HTTP/1.0, no other can follow', () => {
  const lastOf = (head: string): unknown => readText(`${head}\r\nContent-Length: 0\r\n\r\n`)[0]?.isLast;
  assert.equal(lastOf('HTTP/1.1 200 OK\r\nConnection: Keep-Alive, Close'), true);
  assert.equal(lastOf('HTTP/1.0 200 OK'), true);
  assert.equal(lastOf('HTTP/1.1 200 OK\r\nConnection: keep-alive'), false);
});

test('an answer with something behind it is the last one: nobody can tell what that belongs to', () => {
  for (const answer of ['Content-Length: 0\r\n\r\n', 'Content-Length: 1\r\n\r\nx', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'])
    for (const behind of ['', 'H']) assert.equal(readText(`HTTP/1.1 200 OK\r\n${answer}${behind}`)[0]?.isLast, behind !== '');
});

test('an answer without a length ends with the connection; 204 and 304 have no body, whatever they say', () => {
  assert.deepEqual(readText('HTTP/1.1 200 OK\r\n\r\nall of it', { closes: true })[0]?.pieces, ['all of it']);
  assert.equal(readText('HTTP/1.1 200 OK\r\n\r\nall of it', { closes: true })[0]?.isLast, true);
  for (const code of [204, 304]) {
    const parts = [`HTTP/1.1 ${code} \r\nContent-Length: 7\r\n\r\n`, 'HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx'];
    const [first, second] = read(parts.map((part) => Buffer.from(part)));
    assert.deepEqual([first?.isLast, second?.pieces], [false, ['x']]);
  }
});

const noAnswers: Record<string, { text: string; closes?: boolean; words: RegExp }> = {
  'another protocol': { text: 'SSH-2.0-OpenSSH\r\n\r\n', words: /does not speak HTTP\/1\.1: it said "SSH-2.0-OpenSSH"$/ },
  'another protocol, before its first line is over': { text: 'SSH-2.0', words: /does not speak HTTP\/1\.1: it said "SSH-2.0"$/ },
  'a wish for another protocol': { text: 'HTTP/1.1 101 Switching\r\n\r\n', words: /wants to speak another protocol$/ },
  'a header without a colon': { text: 'HTTP/1.1 200 OK\r\nnothing\r\n\r\n', words: /a header that is none: "nothing"$/ },
  'a length that is no number': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    words: /the length "-1", which is no number$/,
  },
  'two lengths': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    words: /the length "1,2", which is no number$/,
  },
  'an encoding nobody asked for': {
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
    words: /encoded as "gzip, chunked", which is not understood$/,
  },
  'two encodings': {
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n',
    words: /encoded as "chunked,chunked", which is not understood$/,
  },
  'a piece without its length': {
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
    words: /does not say how long it is$/,
  },
  'a piece longer than it says': {
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n',
    words: /longer than it says$/,
  },
  'a head without an end': {
    text: `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(64 * 1024)}`,
    words: /a line of more than 65536 bytes$/,
  },
  'an end in the head': { text: 'HTTP/1.1 200', closes: true, words: /closed the connection before its answer was complete$/ },
  'an end in a body': {
    text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc',
    closes: true,
    words: /closed the connection before its answer was complete$/,
  },
  'an end before the last piece': {
    text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    closes: true,
    words: /closed the connection before its answer was complete$/,
  },
};
for (const [name, { text, closes = false, words }] of Object.entries(noAnswers))
  test(`no answer: ${name}`, () => assert.throws(() => readText(text, { closes }), words));

test('who has stopped is told nothing more, not even of what is there already', () => {
  const told: string[] = [];
  const reader = new AnswerReader({
    head: () => {
      told.push('head');
      reader.stop();
    },
    body: () => void told.push('body'),
    end: () => void told.push('end'),
  });
  reader.push(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx'));
  reader.close();
  assert.deepEqual(told, ['head']);
});
