import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { LatencyHistogram } from '../../../lib/measure/latency-histogram.js';
import { RECORD_SIZE, readTimestamp, writeTimestamp } from './timestamp-record.js';

/**
 * @import { ServerResponse } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { WebSocket } from 'ws'
 */

/**
 * The server of the round trips, in a separate process. It streams `count` timestamps over HTTP, receives each one back over a
 * WebSocket, and reports to the client how long they took. It reads the WebSocket even if its own writing is held up, so that
 * the two directions never wait for each other.
 *
 *     node bench/studies/body-read/echo-server.js '{"count":100000}'
 *
 * It prints `{"port":…}` once it listens, and ends when its standard input closes.
 */
const { count } = JSON.parse(process.argv[2]);
const RECORDS_PER_CHUNK = 64;
/** Time for which writing the current stream was held up, in ms. */
let heldUp = 0;

const server = createServer((_request, response) => {
  streamTimestamps(response).catch((error) => response.destroy(error));
});
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', receiveTimestamps);
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {AddressInfo} */ (server.address());
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
process.stdin.once('close', () => process.exit(0)).resume();

/** @param {ServerResponse} response */
async function streamTimestamps(response) {
  heldUp = 0;
  for (let first = 0; first < count; first += RECORDS_PER_CHUNK) {
    if (!response.write(stampedChunk(first, Math.min(count - first, RECORDS_PER_CHUNK)))) {
      const fullAt = performance.now();
      await once(response, 'drain');
      heldUp += performance.now() - fullAt;
    }
  }
  response.end();
}

/**
 * @param {number} first number of the first record
 * @param {number} records
 */
function stampedChunk(first, records) {
  const chunk = Buffer.alloc(records * RECORD_SIZE);
  for (let place = 0; place < records; place++) {
    writeTimestamp(chunk, place * RECORD_SIZE, performance.now(), first + place);
  }
  return chunk;
}

/** @param {WebSocket} socket */
function receiveTimestamps(socket) {
  const latencies = new LatencyHistogram();
  let startedAt = 0;
  socket.on('message', (/** @type {Buffer} */ record) => {
    const now = performance.now();
    const { milliseconds, number } = readTimestamp(record);
    if (number !== latencies.count) {
      socket.close(1008, `got timestamp ${number}, expected ${latencies.count}`);
      return;
    }
    if (number === 0) {
      startedAt = milliseconds;
    }
    latencies.record(now - milliseconds);
    if (latencies.count === count) {
      const time = now - startedAt;
      socket.send(JSON.stringify({ ...latencies.summary(), rate: (1000 * count) / time, heldUp: heldUp / time }));
    }
  });
}
