import { Keyspace } from '../lib/load/workload/keyspace.js';
import { BareThread, targetOf } from './bare-thread.js';
import { startNullEndpoint } from './null-endpoint.js';
import { describeMachine } from './studies/machine.js';
import { formatTable } from './studies/table.js';

// Measures memory per TLS connection in Node without any client: when open, after receiving an object, and after sending one.
// The figures are differences in memory use after garbage collection.
//
//     node --expose-gc bench/connection-memory.js [connections]

const OBJECT_SIZE = 16 * 1024;
const connections = Number(process.argv[2] ?? 1000);
const endpoint = await startNullEndpoint({ objectSize: OBJECT_SIZE, useTls: true });
const { S3_BUCKET: bucket } = endpoint.env;
const path = `/${bucket}/${new Keyspace({ runId: 'memory', prefix: 'benchmark', buckets: [bucket] }).keyOf(0)}`;

const object = Buffer.alloc(OBJECT_SIZE);
const target = targetOf(endpoint.env);

/** @type {BareThread[]} */
const opened = [];
const steps = {
  'open, and kept alive': async () => {
    const connection = new BareThread(target);
    opened.push(connection);
    await connection.opened;
  },
  'has received 16 KiB': (/** @type {number} */ index) => opened[index].send('GET', path, null),
  'has sent 16 KiB': (/** @type {number} */ index) => opened[index].send('PUT', path, object),
};

const rows = [];
let before = usage();
for (const [step, work] of Object.entries(steps)) {
  for (let index = 0; index < connections; index++) {
    await work(index);
  }
  const after = usage();
  rows.push([step, perConnection(after.rss - before.rss), perConnection(after.heapUsed - before.heapUsed)]);
  before = after;
}
opened.forEach((connection) => connection.close());
await endpoint.close();
process.stdout.write(`${describeMachine([])}\n${connections} connections, KiB per connection\n\n`);
process.stdout.write(`${formatTable(['connection', 'resident', 'JavaScript'], rows)}\n`);

function usage() {
  globalThis.gc?.();
  return process.memoryUsage();
}

/** @param {number} bytes */
function perConnection(bytes) {
  return (bytes / connections / 1024).toFixed(1);
}
