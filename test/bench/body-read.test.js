import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { WebSocket, WebSocketServer } from 'ws';
import { ByteCount } from '../../bench/studies/body-read/byte-count.js';
import { growthOf } from '../../bench/studies/body-read/drain-speed.js';
import { EchoSender } from '../../bench/studies/body-read/echo-sender.js';
import { READ_INTERFACES } from '../../bench/studies/body-read/read-interfaces.js';
import { RECORD_SIZE, readTimestamp, writeTimestamp } from '../../bench/studies/body-read/timestamp-record.js';
import { TimestampStream } from '../../bench/studies/body-read/timestamp-stream.js';
import { FROM_BUFFER, FROM_SOCKET } from '../../bench/studies/body-read/ways-to-read.js';
import { cases } from '../helpers/cases.js';

/** @import { AddressInfo } from 'node:net' */

for (const [place, ways] of Object.entries({ buffer: FROM_BUFFER, socket: FROM_SOCKET })) {
  for (const [way, fill] of Object.entries(ways)) {
    test(`${way} repeatedly reads everything from a ${place}`, async () => {
      for (const count of [1, 128, 3]) {
        const sink = new ByteCount();
        const pipe = await fill(Array.from({ length: count }, () => Buffer.alloc(1024)));
        await pipe.drain(sink);
        assert.equal(sink.bytes, count * 1024);
      }
    });
  }
}

/** @param {number[]} times ms, of 1, 2, 4 … chunks */
function speedsOf(times) {
  return times.map((time, place) => ({ chunks: 2 ** place, drains: 1000 / time, spread: 0, time, p99: time }));
}

test('if no drain exceeds the limit, the regression line predicts when one would', () => {
  const { fixed, perChunk, limit, isExtrapolated } = growthOf(speedsOf([0.02, 0.03, 0.05]));
  assert.ok(Math.abs(fixed - 0.01) < 1e-9);
  assert.ok(Math.abs(perChunk - 0.01) < 1e-9);
  assert.deepEqual([limit, isExtrapolated], [99, true]);
});

test('if a drain exceeds the limit, the count is reported', () => {
  const { limit, isExtrapolated } = growthOf(speedsOf([0.5, 1.5, 3]));
  assert.deepEqual([limit, isExtrapolated], [2, false]);
});

test('timestamps are separated wherever the chunks end', async () => {
  const shape = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 700 }));
  await fc.assert(
    fc.asyncProperty(shape, async ([count, size]) => {
      const bytes = Buffer.alloc(count * RECORD_SIZE);
      for (let number = 0; number < count; number++) {
        writeTimestamp(bytes, number * RECORD_SIZE, number / 8, number);
      }
      const chunks = [];
      for (let start = 0; start < bytes.length; start += size) {
        chunks.push(bytes.subarray(start, start + size));
      }
      const records = await Readable.from(chunks).pipe(new TimestampStream()).toArray();
      const expected = Array.from({ length: count }, (_, number) => ({ milliseconds: number / 8, number }));
      assert.deepEqual(records.map(readTimestamp), expected);
    }),
    { numRuns: cases(50) },
  );
});

test('a stream that ends within a timestamp is an error', async () => {
  const stream = Readable.from([Buffer.alloc(RECORD_SIZE + 1)]).pipe(new TimestampStream());
  await assert.rejects(stream.toArray(), /ended within a timestamp, after 1 bytes/);
});

/** Records whether a reader had to stop. */
class WatchedSender extends EchoSender {
  /** @type {() => void} */
  #tell = () => {};
  hasStopped = new Promise((resolve) => (this.#tell = () => resolve(undefined)));

  room() {
    this.#tell();
    return super.room();
  }
}

for (const [name, read] of Object.entries(READ_INTERFACES)) {
  test(`the ${name} interface stops while the other end does not read, and loses nothing`, async (t) => {
    const records = 400;
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = /** @type {AddressInfo} */ (server.address());
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    t.after(() => client.terminate());
    const [[receiver]] = await Promise.all([once(server, 'connection'), once(client, 'open')]);
    receiver.pause();
    let made = 0;
    const source = new Readable({
      objectMode: true,
      read() {
        // Too large for the connection's buffers to hold all of them.
        this.push(made < records ? Buffer.alloc(128 * 1024, made) : null);
        made += 1;
      },
    });
    const sender = new WatchedSender(client);
    const reading = read(source, sender);
    await sender.hasStopped;
    assert.ok(made < records, `${made} of ${records} records had been made when the reader stopped`);
    /** @type {number[]} */
    const received = [];
    const all = new Promise((resolve) => {
      receiver.on('message', (/** @type {Buffer} */ record) => {
        received.push(record[0]);
        if (received.length === records) {
          resolve(undefined);
        }
      });
    });
    receiver.resume();
    await Promise.all([reading, all]);
    assert.deepEqual(
      received,
      Array.from({ length: records }, (_, number) => number % 256),
    );
  });
}

test('a reader reports the failure of its stream', async () => {
  for (const read of Object.values(READ_INTERFACES)) {
    const source = new Readable({ objectMode: true, read: () => {} });
    const reading = read(source, /** @type {any} */ ({ isFull: false, send() {} }));
    source.destroy(new Error('gone'));
    await assert.rejects(reading, /gone/);
  }
});
