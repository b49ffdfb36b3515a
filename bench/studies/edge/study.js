import { writeFileSync } from 'node:fs';
import { agreedProtocol } from '../endpoint.js';
import { describeMachine } from '../machine.js';
import { runStudy } from '../run-study.js';
import { chartOf } from './chart-of-ways.js';
import { GEOGRAPHIES, RUN_NAMES, WAYS, latencyByDistance, legsOf } from './geographies.js';
import { measureWay } from './measure-way.js';
import { describeResult } from './report.js';
import { withServers } from './servers.js';

/**
 * @import { Geography, RunName, WayName } from './geographies.js'
 * @import { Measured } from './measure-way.js'
 * @import { GeographyResult } from './report.js'
 * @import { Servers } from './servers.js'
 */

// Measures how a Worker between a user and a store affects latency, at several distances; see bench/studies/README.md.
//
//     npm run study:edge

/** Number of concurrent runs if their clients are nearly always asleep. */
const LANES = 4;

/** Minimum latency in ms for concurrent runs. Below it, they would disturb each other. */
const SLEEPING_CLIENT = 50;
const EDGE_MODULES = new URL('../../../edge/node_modules/', import.meta.url);
const CHART = new URL('../edge.svg', import.meta.url);

await runStudy(async () => {
  const startedAt = performance.now();
  const { machine, results, protocol } = await withServers(GEOGRAPHIES, async (servers) => ({
    machine: describeMachine(['miniflare', 'workerd'], EDGE_MODULES),
    protocol: await protocolOf(servers),
    results: await measureAll(servers),
  }));
  writeFileSync(CHART, chartOf(results));
  process.stdout.write(`${machine}\n`);
  process.stdout.write(describeResult(results, protocol));
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`\nTook ${took} s. Chart: bench/studies/edge.svg\n`);
});

/**
 * @param {Servers} servers
 * @returns {Promise<string>} the protocol that a client negotiates with each server
 * @throws {Error} if the protocols differ, because a cold connection would not take the same round trips everywhere
 */
async function protocolOf({ certificate, storePort, workers }) {
  const ports = [storePort, ...Array.from(workers.values(), ({ url }) => Number(url.port))];
  const protocols = new Set(await Promise.all(ports.map((port) => agreedProtocol(port, certificate))));
  if (protocols.size > 1) {
    throw new Error(`the servers speak ${[...protocols].join(' and ')}, expected one protocol`);
  }
  return [...protocols][0];
}

/**
 * @param {Servers} servers
 * @returns {Promise<GeographyResult[]>}
 */
async function measureAll(servers) {
  const runs = new Map(
    GEOGRAPHIES.flatMap((geography) => RUN_NAMES.map((name) => [runOf(name, geography), { name, geography }])),
  );
  /** @type {Map<string, Awaited<ReturnType<typeof measureWay>>>} */
  const measured = new Map();
  const tasks = [...runs]
    .map(([run, { name, geography }]) => ({
      expected: latencyByDistance(WAYS[name], geography),
      async measure() {
        process.stderr.write(`${run}\n`);
        measured.set(run, await measureWay(name, geography, servers));
      },
    }))
    .sort((one, other) => other.expected - one.expected);
  await inLanes(
    LANES,
    tasks.filter(({ expected }) => expected >= SLEEPING_CLIENT),
  );
  await inLanes(
    1,
    tasks.filter(({ expected }) => expected < SLEEPING_CLIENT),
  );
  const waysOf = (/** @type {Geography} */ geography) => {
    const runsOf = Object.fromEntries(RUN_NAMES.map((name) => [name, measured.get(runOf(name, geography))]));
    return /** @type {Record<WayName, Measured>} */ ({ ...runsOf, binding: runsOf.workerKept?.binding });
  };
  return GEOGRAPHIES.map((geography) => ({ geography, ways: waysOf(geography) }));
}

/**
 * @param {RunName} name
 * @param {Geography} geography
 * @returns {string} a name that is the same for geographies with the same distances for this way, so that they share one run
 */
function runOf(name, geography) {
  const legs = new Set([WAYS[name].from, ...legsOf(WAYS[name]).map(([leg]) => leg)]);
  return `${WAYS[name].name}, ${Array.from(legs, (leg) => `${leg} ${geography[leg]} ms`).join(', ')}`;
}

/**
 * @param {number} count concurrent tasks
 * @param {readonly { measure: () => Promise<void> }[]} tasks started in order
 */
async function inLanes(count, tasks) {
  const waiting = tasks.values();
  const lane = async () => {
    for (const { measure } of waiting) {
      await measure();
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
}
