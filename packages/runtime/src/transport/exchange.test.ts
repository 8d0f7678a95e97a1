import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadlines } from '#clock/deadlines.ts';
import type { AnswerHandler, Flow, Outgoing, Sender } from '#http/sender.ts';
import { FakeClock } from '#testing/fake-clock.ts';
import { heapBytes } from '#testing/heap-bytes.ts';
import { exchangeText } from './exchange.ts';

const outgoing: Outgoing = { origin: 'https://a', path: '/x', method: 'GET', headers: {}, body: null, reset: false };

/** A socket on which an answer of these chunks has come in. It tells the handler of what the handler throws. */
function answering(...chunks: Buffer[]): Sender {
  const flow = { paused: false } as Flow;
  return {
    dispatch: (_: unknown, handler: AnswerHandler) => {
      try {
        handler.onResponseStart(flow, 200, {});
        for (const chunk of chunks) handler.onResponseData(flow, chunk);
        handler.onResponseEnd(flow);
      } catch (error) {
        handler.onResponseError(flow, error as Error);
      }
      return true;
    },
  } as unknown as Sender;
}

test('an answer too long to be a text fails its request instead of never ending it', async () => {
  const tooLong = new RangeError('Cannot create a string longer than 0x1fffffe8 characters');
  const chunk = Object.assign(Buffer.from('{}'), {
    toString(): string {
      throw tooLong;
    },
  });
  const settled = exchangeText(answering(chunk), outgoing, { onHead: () => undefined });
  await assert.rejects(Promise.race([settled, new Promise((resolve) => setImmediate(resolve, 'never settled'))]), tooLong);
});

test('an answer in several pieces is one text, also where a character was cut in two', async () => {
  const bytes = Buffer.from('{"a":"ä"}');
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7)];
  assert.equal(await exchangeText(answering(...pieces), outgoing, { onHead: () => undefined }), '{"a":"ä"}');
  assert.equal(await exchangeText(answering(), outgoing, { onHead: () => undefined }), '');
});

test('a request whose time is up before it goes is not sent', async () => {
  const clock = new FakeClock();
  const late = new Error('no answer in time');
  const sent: unknown[] = [];
  const sender = { dispatch: (request: unknown) => sent.push(request) } as unknown as Sender;
  const deadline = { clock, deadlines: new Deadlines(clock), endsAt: clock.monotonic(), late: () => late };
  await assert.rejects(exchangeText(sender, outgoing, { deadline, onHead: () => undefined }), late);
  assert.deepEqual([sent, clock.pendingTimers], [[], 0]);
});

test('an answer in time leaves no timer behind', async () => {
  const clock = new FakeClock();
  const deadline = { clock, deadlines: new Deadlines(clock), endsAt: clock.monotonic() + 1000, late: () => new Error('late') };
  assert.equal(await exchangeText(answering(Buffer.from('x')), outgoing, { deadline, onHead: () => undefined }), 'x');
  assert.equal(clock.pendingTimers, 0);
});

test('who keeps an exchange that is over does not keep its answer', async () => {
  // Not larger: the text of a megabyte is kept outside of the heap.
  const [answers, bytes] = [128, 2 ** 18];
  // Made here: what is made beside a chunk would hold it.
  const options = { onHead: () => undefined };
  const kept: AnswerHandler[] = [];
  const chunks: WeakRef<Buffer>[] = [];
  const ask = async (): Promise<number> => {
    const chunk = Buffer.alloc(bytes, 'x');
    chunks.push(new WeakRef(chunk));
    const { dispatch } = answering(chunk);
    const keeping = {
      dispatch: (request: Outgoing, handler: AnswerHandler) => {
        kept.push(handler);
        return dispatch(request, handler);
      },
    } as unknown as Sender;
    return (await exchangeText(keeping, outgoing, options)).length;
  };
  const before = heapBytes();
  for (let count = 0; count < answers; count++) assert.equal(await ask(), bytes);
  // What was referred to weakly is held until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  const held = heapBytes() - before;
  assert.ok(held < (answers * bytes) / 2, `${held} bytes are held of ${answers} answers of ${bytes}`);
  assert.equal(chunks.filter((chunk) => chunk.deref() !== undefined).length, 0);
  assert.equal(kept.length, answers);
});
