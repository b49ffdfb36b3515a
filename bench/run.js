import { writeFileSync } from 'node:fs';
import { MEGABYTE } from '../lib/log/units.js';
import { measureLayers } from './layers.js';
import { measureClient, measureMemory } from './measure-client.js';
import { hasOha } from './measure-oha.js';
import { startNullEndpoint } from './null-endpoint.js';
import { MEMORY_RUNS, scenariosOf } from './scenarios.js';
import { describeMachine } from './studies/machine.js';
import { formatTable } from './studies/table.js';

/** @import { Scenario } from './scenarios.js' */

// What the clients cost: CPU time for an operation of each stage, side by side in one run on one machine, against an
// endpoint in another process that does next to nothing.
//
//     node bench/run.js [--json result.json] [part of a scenario's title]

/**
 * @typedef {Record<string, Record<string, number[]>>} Figures stage, client: one number of each round
 * @typedef {{ cpu: Figures, rate: Figures }} Costs µs an operation, and operations a second
 */

const parameters = process.argv.slice(2);
const jsonFile = parameters[0] === '--json' ? parameters.splice(0, 2)[1] : undefined;
const [wanted = ''] = parameters;
const scenarios = scenariosOf(wanted);
const isOhaThere = await hasOha();
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

print(describeMachine(['undici', '@aws-sdk/client-s3']));
print('CPU µs an operation, user and system: the median of the rounds, with the least and the most of them.');
if (!isOhaThere) {
  print('oha is not on PATH: it is left out (`cargo install oha --locked` installs it).');
}
/** @type {Record<string, unknown>} */
const results = {};
for (const scenario of scenarios) {
  const costs = await measureScenario(scenario);
  results[scenario.title] = costs;
  print(`\n${scenario.title}\n`);
  print(tableOf(costs.cpu));
  print('\nOperations a second of the same runs: the median of the rounds\n');
  print(rateTable(costs.rate));
}
if (wanted === '') {
  const layers = await measureLayers();
  results.layers = layers;
  print('\nThe layers of the direct client by themselves\n');
  print(
    formatTable(
      ['layer', 'µs', 'margin'],
      layers.map(({ layer, microseconds, margin }) => [layer, microseconds.toFixed(2), `±${margin.toFixed(1)}%`]),
    ),
  );
  results.memory = await measureMemoryRuns();
}
if (jsonFile !== undefined) {
  writeFileSync(jsonFile, `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * @param {Scenario} scenario
 * @returns {Promise<Costs>}
 */
async function measureScenario({ title, useTls, threads, objectSize, rounds, clients }) {
  const endpoint = await startNullEndpoint({ objectSize, useTls });
  /** @type {Costs} */
  const costs = { cpu: {}, rate: {} };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { name, client, objects, cores } of clients.filter((each) => each.client !== 'oha' || isOhaThere)) {
        process.stderr.write(`${title}: round ${round + 1} of ${rounds}, ${name}\n`);
        const load = { objects, threads, objectSize, cores, env: endpoint.env };
        for (const { stage, ...figures } of await measureClient(client, load)) {
          for (const kind of /** @type {const} */ (['cpu', 'rate'])) {
            costs[kind][stage] ??= {};
            costs[kind][stage][name] ??= [];
            costs[kind][stage][name].push(figures[kind]);
          }
        }
      }
    }
  } finally {
    await endpoint.close();
  }
  return costs;
}

/**
 * Each client's cost, and what the others cost beside the first one.
 *
 * @param {Figures} costs
 */
function tableOf(costs) {
  const [first, ...others] = [...new Set(Object.values(costs).flatMap((row) => Object.keys(row)))];
  const header = ['stage', first, ...others, ...others.map((other) => `${other} ÷ ${first}`)];
  const rows = Object.entries(costs).map(([stage, row]) => [
    stage,
    ...[first, ...others].map((name) => (name in row ? withSpread(row[name]) : '-')),
    ...others.map((other) => (other in row ? (median(row[other]) / median(row[first])).toFixed(2) : '-')),
  ]);
  return formatTable(header, rows);
}

/** @param {Figures} rates */
function rateTable(rates) {
  const names = [...new Set(Object.values(rates).flatMap((row) => Object.keys(row)))];
  const rows = Object.entries(rates).map(([stage, row]) => [
    stage,
    ...names.map((name) => (name in row ? median(row[name]).toFixed(0) : '-')),
  ]);
  return formatTable(['stage', ...names], rows);
}

async function measureMemoryRuns() {
  print('\nMemory of the direct client on one core, 16 KiB objects: the most that was resident\n');
  const rows = [];
  for (const { threads, objects, useTls } of MEMORY_RUNS) {
    process.stderr.write(`memory: ${threads} threads, ${objects} objects\n`);
    const endpoint = await startNullEndpoint({ objectSize: 16 * 1024, useTls });
    try {
      const bytes = await measureMemory({ objects, threads, objectSize: 16 * 1024, env: endpoint.env });
      rows.push({ threads, objects, useTls, megabytes: bytes / MEGABYTE });
    } finally {
      await endpoint.close();
    }
  }
  const cells = rows.map((row) => [
    `${row.threads} threads${row.useTls ? ', TLS' : ''}`,
    String(row.objects),
    `${row.megabytes.toFixed(0)} MiB`,
  ]);
  print(formatTable(['threads', 'objects', 'memory'], cells));
  return rows;
}

/** @param {readonly number[]} values */
function withSpread(values) {
  const middle = median(values).toFixed(1);
  return values.length === 1
    ? middle
    : `${middle} (${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)})`;
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
