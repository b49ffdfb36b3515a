import { overDistance } from '../distance/over-distance.js';
import { OBJECT_SIZE, endpointVariables } from '../endpoint.js';
import { REQUESTS, expectAllAnswers } from '../measurement.js';
import { runTool } from '../run-tool.js';
import { WAYS } from './geographies.js';

/**
 * @import { LocalWorker } from '../../../edge/local-process.js'
 * @import { Certificate } from '../certificate.js'
 * @import { RelayTally } from '../distance/round-trips.js'
 * @import { Latencies } from '../measurement.js'
 * @import { Geography, WayName } from './geographies.js'
 */

export const STAGES = /** @type {const} */ (['Read', 'Write']);

/**
 * @typedef {(typeof STAGES)[number]} StageName
 *
 * @typedef {Record<WayName, Record<StageName, Latencies>>} Measured
 */

/**
 * Runs the tool twice, with connections kept and cold: one thread writes some objects and reads them, one request at a
 * time. Each run also shows how long the binding alone took.
 *
 * @param {Geography} geography
 * @param {{ worker: LocalWorker, certificate: Certificate }} server
 * @param {number} [requests] per stage
 * @returns {Promise<{ ways: Measured, tallies: Record<'kept' | 'cold', RelayTally> }>} tallies of the user's connections
 */
export async function measureWays({ userToWorker }, { worker, certificate }, requests = REQUESTS) {
  const measure = async (/** @type {'kept' | 'cold'} */ name) => {
    const stages = ['--stages', 'write,read', '--size', String(OBJECT_SIZE), '--client', 'edge'];
    const parameters = [String(requests), '1', ...stages, ...(name === 'cold' ? ['--no-keep-alive'] : [])];
    const { result, tally } = await overDistance({ port: Number(worker.url.port), roundTrip: userToWorker }, (port) =>
      runTool(parameters, {
        ...endpointVariables(port, certificate),
        EDGE_URL: `https://127.0.0.1:${port}`,
        EDGE_SECRET: worker.secret,
      }),
    );
    result.stages.forEach(({ stage, operations }) =>
      expectAllAnswers(`${stage}, ${WAYS[name].name}`, operations, requests),
    );
    const latencies = (/** @type {'operations' | 'binding'} */ of) =>
      Object.fromEntries(result.stages.map(({ stage, latency }) => [stage, latency[of]]));
    return { user: latencies('operations'), binding: latencies('binding'), tally };
  };
  const [kept, cold] = [await measure('kept'), await measure('cold')];
  const ways = /** @type {Measured} */ ({ kept: kept.user, cold: cold.user, binding: kept.binding });
  return { ways, tallies: { kept: kept.tally, cold: cold.tally } };
}
