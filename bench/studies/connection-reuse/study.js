import { writeFileSync } from 'node:fs';
import { startNullServer } from '../../null-endpoint.js';
import { makeCertificate } from '../certificate.js';
import { overDistance } from '../distance/over-distance.js';
import { OBJECT_SIZE, agreedProtocol } from '../endpoint.js';
import { describeMachine } from '../machine.js';
import { REQUESTS } from '../measurement.js';
import { runStudy } from '../run-study.js';
import { chartOf } from './chart-of-distances.js';
import { findOha } from '../../measure-oha.js';
import { measureOha } from './measure-oha.js';
import { measureTool } from './measure-tool.js';
import { describeResult } from './report.js';

/**
 * @import { Certificate } from '../certificate.js'
 * @import { Distance, Load, Measured } from './distances.js'
 */

// Measures the cost of opening a connection for each request, at several distances; see bench/studies/README.md.
//
//     npm run study:connection-reuse

const ROUND_TRIP_TIMES = [1, 20, 45];

/**
 * From this round-trip time in ms on, a client is nearly always asleep, so the tool and oha run at the same time, under the
 * same conditions. At shorter distances, they would disturb each other.
 */
const SLEEPING_CLIENT = 10;
const CHART = new URL('../connection-reuse.svg', import.meta.url);

await runStudy(async () => {
  const startedAt = performance.now();
  const machine = describeMachine([]);
  const oha = await findOha();
  const certificate = await makeCertificate();
  const endpoint = await startNullServer({
    objectSize: OBJECT_SIZE,
    certificate: { key: certificate.key, cert: certificate.certificate },
  });
  const protocol = await agreedProtocol(endpoint.port, certificate);
  const measure = measureWith(endpoint.port, certificate, oha === null ? null : measureOha);
  /** @type {Distance[]} */
  const distances = [];
  try {
    for (const roundTrip of ROUND_TRIP_TIMES) {
      process.stderr.write(`${REQUESTS} requests over ${roundTrip} ms\n`);
      distances.push({ roundTrip, reused: await measure(roundTrip, true), opened: await measure(roundTrip, false) });
    }
  } finally {
    await endpoint.close();
    certificate.remove();
  }
  writeFileSync(CHART, chartOf(distances));
  process.stdout.write(`${machine}${oha === null ? '' : `, ${oha}`}\n`);
  process.stdout.write(describeResult(distances, { protocol, hasOha: oha !== null }));
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(`\nTook ${took} s. Chart: bench/studies/connection-reuse.svg\n`);
});

/**
 * @param {number} port of the endpoint
 * @param {Certificate} certificate
 * @param {typeof measureOha | null} oha null if oha is missing
 */
function measureWith(port, certificate, oha) {
  /**
   * @param {number} roundTrip ms
   * @param {boolean} keepAlive
   * @returns {Promise<Measured>}
   */
  return async (roundTrip, keepAlive) => {
    /**
     * @template Result
     * @param {(load: Load) => Promise<Result>} client
     */
    const measure = (client) =>
      overDistance({ port, roundTrip }, (relay) => client({ port: relay, certificate, keepAlive }));
    const ours = measure(measureTool);
    if (roundTrip < SLEEPING_CLIENT) {
      await ours;
    }
    const theirs = oha === null ? null : measure(oha);
    const [{ result: tool, tally }, other] = await Promise.all([ours, theirs]);
    return { tool, tally, oha: other === null ? null : other.result };
  };
}
