import { overDistance } from '../distance/over-distance.js';
import { OBJECT_SIZE, endpointVariables } from '../endpoint.js';
import { REQUESTS, expectAllAnswers } from '../measurement.js';
import { runTool } from '../run-tool.js';
import { WAYS } from './geographies.js';

/**
 * @import { LocalWorker } from '../../../edge/local-process.js'
 * @import { RelayTally } from '../distance/round-trips.js'
 * @import { Latencies } from '../measurement.js'
 * @import { Geography, RunName } from './geographies.js'
 * @import { Servers } from './servers.js'
 */

export const STAGES = /** @type {const} */ (['Read', 'Write']);

/**
 * @typedef {(typeof STAGES)[number]} StageName
 *
 * @typedef {Record<StageName, Latencies>} StageLatencies
 *
 * @typedef {StageLatencies & { tally: RelayTally }} Measured with the tally of the user's connections
 */

/** @type {Readonly<Record<RunName, readonly string[]>>} */
const OPTIONS = {
  storeKept: [],
  storeCold: ['--no-keep-alive'],
  workerKept: ['--client', 'edge'],
  workerCold: ['--client', 'edge', '--no-keep-alive'],
};

/**
 * Runs the tool: one thread writes some objects and reads them, one request at a time.
 *
 * @param {RunName} name
 * @param {Geography} geography
 * @param {Servers} servers
 * @param {number} [requests] per stage
 * @returns {Promise<Measured & { binding: StageLatencies }>} `binding` has no latencies without a Worker
 */
export async function measureWay(name, geography, { certificate, storePort, workers }, requests = REQUESTS) {
  const { from } = WAYS[name];
  const worker = /** @type {LocalWorker} */ (workers.get(geography.workerToStore));
  const server = from === 'userToStore' ? storePort : Number(worker.url.port);
  const parameters = [String(requests), '1', '--stages', 'write,read', '--size', String(OBJECT_SIZE), ...OPTIONS[name]];
  const { result, tally } = await overDistance({ port: server, roundTrip: geography[from] }, (port) =>
    runTool(parameters, {
      ...endpointVariables(port, certificate),
      EDGE_URL: `https://127.0.0.1:${port}`,
      EDGE_SECRET: worker.secret,
    }),
  );
  for (const { stage, operations } of result.stages) {
    expectAllAnswers(`${stage}, ${WAYS[name].name}`, operations, requests);
  }
  const latencies = (/** @type {'operations' | 'binding'} */ of) =>
    Object.fromEntries(result.stages.map(({ stage, latency }) => [stage, latency[of]]));
  return { ...latencies('operations'), tally, binding: latencies('binding') };
}
