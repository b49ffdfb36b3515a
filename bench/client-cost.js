import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { measureClient } from './measure-client.js';
import { startNullEndpoint } from './null-endpoint.js';

// What the clients cost: CPU time for an operation of each stage, side by side in one run on one machine.
//
//     node bench/client-cost.js [result.json]

const ROUNDS = 5;
const THREADS = 50;
const OBJECT_SIZE = 16 * 1024;

/** Each client gets as many objects as it takes for a run of some seconds. */
const OBJECTS = { direct: 60_000, bare: 60_000, sdk: 8_000 };

/** @typedef {keyof typeof OBJECTS} ClientName */

const clients = /** @type {ClientName[]} */ (Object.keys(OBJECTS));
const resultFile = process.argv[2];
const endpoint = await startNullEndpoint({ objectSize: OBJECT_SIZE, useTls: true });
/** Stage, client: the cost of each round in µs. @type {Map<string, Record<ClientName, number[]>>} */
const costs = new Map();
try {
  for (let round = 0; round < ROUNDS; round++) {
    for (const client of clients) {
      process.stderr.write(`round ${round + 1} of ${ROUNDS}: ${client}\n`);
      const load = { objects: OBJECTS[client], threads: THREADS, objectSize: OBJECT_SIZE, env: endpoint.env };
      for (const { stage, cpu } of await measureClient(client, load)) {
        const row = costs.get(stage) ?? { direct: [], bare: [], sdk: [] };
        row[client].push(cpu);
        costs.set(stage, row);
      }
    }
  }
} finally {
  endpoint.close();
}

const rows = [...costs].map(([stage, row]) => {
  const [direct, bare, sdk] = clients.map((client) => median(row[client]));
  return { stage, direct, bare, sdk, directMinusBare: direct - bare, sdkByDirect: sdk / direct, rounds: row };
});
const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
print(`CPU µs an operation, median of ${ROUNDS} rounds (least to most)`);
print(`${THREADS} threads, ${OBJECT_SIZE / 1024} KiB objects, TLS, one core, null endpoint in another process`);
print(`Node ${process.versions.node}, ${cpus()[0].model} × ${cpus().length}`);
print('');
print('Stage                direct          bare undici                    sdk   direct−bare  sdk÷direct');
for (const { stage, rounds, directMinusBare, sdkByDirect } of rows) {
  const columns = clients.map((client) => withSpread(rounds[client]).padStart(client === 'direct' ? 18 : 20));
  print(
    `${stage.padEnd(8)}${columns.join(' ')}${directMinusBare.toFixed(1).padStart(13)}${sdkByDirect.toFixed(1).padStart(12)}`,
  );
}
if (resultFile !== undefined) {
  writeFileSync(resultFile, `${JSON.stringify({ node: process.versions.node, rows }, null, 2)}\n`);
}

/** @param {readonly number[]} values */
function withSpread(values) {
  return `${median(values).toFixed(1)} (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
