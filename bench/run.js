import { writeFileSync } from 'node:fs';
import { MEGABYTE } from '../lib/text/units.js';
import { cpuTable, medianTable } from './cost-tables.js';
import { measureClient, measureMemory } from './measure-client.js';
import { findOha } from './measure-oha.js';
import { startNullEndpoint } from './null-endpoint.js';
import { MEMORY_RUNS, ROUNDS, scenariosOf } from './scenarios.js';
import { describeMachine } from './studies/machine.js';
import { formatTable } from './studies/table.js';

/**
 * @import { Figures } from './cost-tables.js'
 * @import { Scenario } from './scenarios.js'
 */

// Compares the cost of clients: CPU time per operation of each stage, on one machine, against an endpoint in another process
// with almost no cost per request.
//
//     node bench/run.js [--json result.json] [part of a scenario's title]

/**
 * @typedef {object} Costs
 * @property {Figures} cpu µs per operation
 * @property {Figures} rate operations per second
 */

const parameters = process.argv.slice(2);
const jsonFile = parameters[0] === '--json' ? parameters.splice(0, 2)[1] : undefined;
const [wanted = ''] = parameters;
const scenarios = scenariosOf(wanted);
const isOhaThere = (await findOha()) !== null;
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

print(describeMachine(['undici', '@aws-sdk/client-s3']));
print('CPU µs per operation (user and system): median, minimum and maximum of the rounds.');
if (!isOhaThere) {
  print('oha is not on PATH, so it is not measured (`cargo install oha --locked` installs it).');
}
/** @type {Record<string, unknown>} */
const results = {};
for (const scenario of scenarios) {
  const costs = await measureScenario(scenario);
  results[scenario.title] = costs;
  print(`\n${scenario.title}\n`);
  print(cpuTable(costs.cpu, scenario.comparisons));
  print('\nOperations per second in the same runs: median of the rounds\n');
  print(medianTable(costs.rate, (rate) => rate.toFixed(0)));
  if (scenario.latency !== undefined) {
    const possible = (1000 * scenario.threads) / scenario.latency;
    print(`\nThe same, as a share of threads ÷ latency: ${possible} per second\n`);
    print(medianTable(costs.rate, (rate) => `${((100 * rate) / possible).toFixed(1)}%`));
  }
}
if (wanted === '') {
  results.memory = await measureMemoryRuns();
}
if (jsonFile !== undefined) {
  writeFileSync(jsonFile, `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * @param {Scenario} scenario
 * @returns {Promise<Costs>}
 */
async function measureScenario({ title, useTls, threads, objectSize, latency, clients }) {
  const endpoint = await startNullEndpoint({ objectSize, useTls, latency });
  /** @type {Costs} */
  const costs = { cpu: {}, rate: {} };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const contestants = clients.filter((each) => each.client !== 'oha' || isOhaThere);
      // Alternating directions, so that no client always comes first.
      for (const { name, client, ...own } of round % 2 === 0 ? contestants : contestants.reverse()) {
        process.stderr.write(`${title}: round ${round + 1} of ${ROUNDS}, ${name}\n`);
        const load = { threads, objectSize, env: endpoint.env, ...own };
        for (const { stage, cpu, rate } of await measureClient(client, load)) {
          addFigure(costs.cpu, stage, name, cpu);
          addFigure(costs.rate, stage, name, rate);
        }
      }
    }
  } finally {
    await endpoint.close();
  }
  return costs;
}

/**
 * @param {Figures} figures
 * @param {string} stage
 * @param {string} name of the client
 * @param {number} figure of one round
 */
function addFigure(figures, stage, name, figure) {
  figures[stage] ??= {};
  figures[stage][name] ??= [];
  figures[stage][name].push(figure);
}

async function measureMemoryRuns() {
  print('\nMemory of the direct client on one core, 16 KiB objects: peak resident memory\n');
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
    `${row.threads} threads, ${row.useTls ? 'TLS' : 'plain HTTP'}`,
    String(row.objects),
    `${row.megabytes.toFixed(0)} MiB`,
  ]);
  print(formatTable(['threads', 'objects', 'memory'], cells));
  return rows;
}
