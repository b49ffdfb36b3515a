import { writeFileSync } from 'node:fs';
import { describeMachine } from '../machine.js';
import { runStudy } from '../run-study.js';
import { startProcess } from '../started-process.js';
import { chartOf } from './chart-of-distances.js';
import { startStudyEndpoint } from './endpoint.js';
import { findOha, measureOha } from './measure-oha.js';
import { measureTool } from './measure-tool.js';
import { REQUESTS } from './measurement.js';
import { describeResult } from './report.js';

/**
 * @import { Distance, Measured } from './distances.js'
 * @import { StudyEndpoint } from './endpoint.js'
 * @import { Load } from './measurement.js'
 * @import { RelayTally } from './round-trips.js'
 */

// What it costs to open a connection for each request, at several distances; see bench/studies/README.md.
//
//     npm run study:connection-reuse

const ROUND_TRIP_TIMES = [1, 20, 45];

/**
 * Round-trip time in ms from which a client sleeps nearly all the time. From there on ours and oha run at the same time,
 * so that whatever else the machine does meets both; below they would be in each other's way.
 */
const SLEEPING_CLIENT = 10;
const RELAY = new URL('./relay.js', import.meta.url);
const CHART = new URL('../connection-reuse.svg', import.meta.url);

await runStudy(async () => {
  const startedAt = performance.now();
  const machine = describeMachine([]);
  const oha = await findOha();
  const endpoint = await startStudyEndpoint();
  const measure = measureWith(endpoint, oha === null ? null : measureOha);
  /** @type {Distance[]} */
  const distances = [];
  try {
    for (const roundTrip of ROUND_TRIP_TIMES) {
      process.stderr.write(`${REQUESTS} requests over ${roundTrip} ms\n`);
      distances.push({ roundTrip, reused: await measure(roundTrip, true), opened: await measure(roundTrip, false) });
    }
  } finally {
    await endpoint.close();
  }
  writeFileSync(CHART, chartOf(distances));
  process.stdout.write(`${machine}${oha === null ? '' : `, ${oha}`}\n`);
  process.stdout.write(describeResult(distances, { protocol: endpoint.protocol, hasOha: oha !== null }));
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`\nTook ${took} s. Chart: bench/studies/connection-reuse.svg\n`);
});

/**
 * @param {StudyEndpoint} endpoint
 * @param {typeof measureOha | null} oha null where there is none
 */
function measureWith(endpoint, oha) {
  /**
   * @param {number} roundTrip ms
   * @param {boolean} keepAlive
   * @returns {Promise<Measured>}
   */
  return async (roundTrip, keepAlive) => {
    const distance = { endpoint, roundTrip, keepAlive };
    const ours = throughRelay(distance, measureTool);
    if (roundTrip < SLEEPING_CLIENT) {
      await ours;
    }
    const theirs = oha === null ? null : throughRelay(distance, oha);
    const [{ result: tool, tally }, other] = await Promise.all([ours, theirs]);
    return { tool, tally, oha: other === null ? null : other.result };
  };
}

/**
 * Each client has a relay of its own, so that what the relay counts is that client's.
 *
 * @template Result
 * @param {{ endpoint: StudyEndpoint, roundTrip: number, keepAlive: boolean }} distance ms
 * @param {(load: Load) => Promise<Result>} client
 * @returns {Promise<{ result: Result, tally: RelayTally }>}
 */
async function throughRelay({ endpoint, roundTrip, keepAlive }, client) {
  const relay = await startProcess(RELAY, { port: endpoint.port, roundTrip });
  try {
    const result = await client({ port: relay.offer.port, authorities: endpoint.authorities, keepAlive });
    return { result, tally: await relay.stop() };
  } catch (error) {
    await relay.stop();
    throw error;
  }
}
