import { startLocalS3 } from '../../lib/local-s3/start.js';
import { nodeAt } from './pinned.js';

/**
 * @import { LocalS3 } from '../../lib/local-s3/start.js'
 * @import { Place } from './pinned.js'
 */

const BUCKETS = Object.freeze(['truth']);
const CREDENTIALS = { accessKeyId: 'truth', secretAccessKey: 'truth' };

/**
 * @typedef {object} ScriptedEndpoint a scripted endpoint in a separate process
 * @property {Record<string, string>} env needed by a client to reach it
 * @property {LocalS3['report']} report
 *
 * @typedef {object} EndpointScript
 * @property {string} [faults] see parseFaults
 * @property {readonly string[]} [buckets] default: one bucket
 * @property {Place} [place] of its process
 */

/**
 * @template Result
 * @param {EndpointScript} script
 * @param {(endpoint: ScriptedEndpoint) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {Error} if the endpoint does not start, or ends unexpectedly
 */
export async function withEndpoint({ place = {}, buckets = BUCKETS, ...script }, work) {
  const options = { buckets: [...buckets], credentials: CREDENTIALS, ...script };
  const endpoint = await startLocalS3(options, nodeAt(place));
  const env = {
    S3_BUCKET: buckets.join(),
    S3_HOSTNAME: endpoint.hostname,
    S3_PORT: String(endpoint.port),
    S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
    S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
    S3_USE_SSL: '0',
  };
  try {
    return await Promise.race([work({ env, report: endpoint.report }), endpoint.failure]);
  } finally {
    await endpoint.close();
  }
}
