import { startLocalWorker } from '../../../edge/local-process.js';
import { makeCertificate } from '../certificate.js';
import { BUCKET, startStudyEndpoint } from '../endpoint.js';

/**
 * @import { LocalWorker } from '../../../edge/local-process.js'
 * @import { Certificate } from '../certificate.js'
 * @import { Geography } from './geographies.js'
 */

/** A binding's calls that travel to the store and back. */
const CALLS = ['put', 'get', 'head', 'delete', 'list'];

/**
 * @typedef {object} Servers on this host, behind TLS, without a distance
 * @property {Certificate} certificate for all of them
 * @property {number} storePort of the S3 API
 * @property {ReadonlyMap<number, LocalWorker>} workers by the round-trip time to their stores in ms
 */

/**
 * Starts the servers that a study of these geographies needs, and stops them afterwards.
 *
 * @template Result
 * @param {readonly Geography[]} geographies
 * @param {(servers: Servers) => Promise<Result>} study
 * @returns {Promise<Result>}
 */
export async function withServers(geographies, study) {
  /** @type {(() => unknown)[]} */
  const ends = [];
  try {
    const certificate = await makeCertificate();
    ends.push(certificate.remove);
    const endpoint = await startStudyEndpoint(certificate);
    ends.push(endpoint.close);
    /** @type {Map<number, LocalWorker>} */
    const workers = new Map();
    for (const distance of new Set(geographies.map(({ workerToStore }) => workerToStore))) {
      const delays = Object.fromEntries(CALLS.map((call) => [call, distance]));
      const worker = await startLocalWorker({ buckets: [BUCKET], behaviour: { delays }, tls: certificate });
      ends.push(worker.stop);
      workers.set(distance, worker);
    }
    return await study({ certificate, storePort: endpoint.port, workers });
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
}
