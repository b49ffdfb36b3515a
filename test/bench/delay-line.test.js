import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { DelayLine, MAX_IN_FLIGHT } from '../../bench/studies/distance/delay-line.js';
import { exactWake } from '../../bench/studies/distance/exact-wake.js';
import { cases } from '../helpers/cases.js';

const DELAY = 10;

function lineByHand({ firstBytesHold = 0 } = {}) {
  let time = 0;
  /** @type {{ due: number, callback: () => void }[]} */
  let sleepers = [];
  const line = new DelayLine({
    delay: DELAY,
    firstBytesHold,
    now: () => time,
    wake: (due, callback) => sleepers.push({ due, callback }),
  });
  return {
    line,
    /** @param {number} to ms */
    async passTime(to) {
      time = to;
      const woken = sleepers.filter(({ due }) => due <= time);
      sleepers = sleepers.filter(({ due }) => due > time);
      woken.forEach(({ callback }) => callback());
      await new Promise(setImmediate);
    },
  };
}

/** @param {DelayLine} line */
function collect(line) {
  /** @type {string[]} */
  const received = [];
  line.on('data', (chunk) => received.push(String(chunk)));
  return received;
}

test('data comes out after the delay, not before', async () => {
  const { line, passTime } = lineByHand();
  const received = collect(line);
  line.write('a');
  await passTime(DELAY - 0.01);
  assert.deepEqual(received, []);
  await passTime(DELAY);
  assert.deepEqual(received, ['a']);
});

test('the first bytes are held longer, and nothing overtakes them', async () => {
  const { line, passTime } = lineByHand({ firstBytesHold: 2 * DELAY });
  const received = collect(line);
  line.write('a');
  await passTime(1);
  line.write('b');
  await passTime(3 * DELAY - 0.01);
  assert.deepEqual(received, []);
  await passTime(3 * DELAY);
  assert.deepEqual(received, ['a', 'b']);
  line.write('c');
  await passTime(4 * DELAY);
  assert.deepEqual(received, ['a', 'b', 'c']);
});

test('the end arrives after everything written before it', async () => {
  const { line, passTime } = lineByHand();
  const received = collect(line);
  let isAtEnd = false;
  line.once('end', () => (isAtEnd = true));
  line.write('a');
  line.end();
  await passTime(DELAY - 1);
  assert.equal(isAtEnd, false);
  await passTime(DELAY);
  assert.deepEqual([received, isAtEnd], [['a'], true]);
});

test('all bytes come out in order, whenever they are written', async () => {
  const writes = fc.array(fc.record({ text: fc.string({ minLength: 1 }), pause: fc.integer({ min: 0, max: 15 }) }));
  await fc.assert(
    fc.asyncProperty(writes, async (pieces) => {
      const { line, passTime } = lineByHand();
      const received = collect(line);
      let time = 0;
      for (const { text, pause } of pieces) {
        line.write(text);
        time += pause;
        await passTime(time);
      }
      await passTime(time + DELAY);
      assert.equal(received.join(''), pieces.map(({ text }) => text).join(''));
    }),
    { numRuns: cases(50) },
  );
});

test('it accepts no more than may be in flight, and resumes once some has arrived', async () => {
  const { line, passTime } = lineByHand();
  const chunk = Buffer.alloc(MAX_IN_FLIGHT / 4);
  let accepted = 0;
  for (let count = 0; count < 8; count++) {
    line.write(chunk, () => (accepted += 1));
  }
  await passTime(1);
  assert.equal(accepted, 3);
  line.resume();
  await passTime(DELAY);
  assert.ok(accepted > 3, `${accepted} chunks were accepted after the first had arrived`);
  await passTime(2 * DELAY);
  await passTime(3 * DELAY);
  assert.equal(accepted, 8);
});

test('on the real clock nothing comes early', async () => {
  const now = () => performance.now();
  const line = new DelayLine({ delay: 5, firstBytesHold: 0, now, wake: exactWake });
  const writtenAt = now();
  line.write('a');
  await once(line, 'data');
  assert.ok(now() - writtenAt >= 5);
});
