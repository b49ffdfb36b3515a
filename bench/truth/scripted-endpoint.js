import { startLocalS3 } from '../../lib/local-s3/start.js';
import { nodeAt } from './pinned.js';

/**
 * @import { LocalS3 } from '../../lib/local-s3/start.js'
 * @import { Place } from './pinned.js'
 */

const BUCKETS = Object.freeze(['truth']);
const CREDENTIALS = { accessKeyId: 'truth', secretAccessKey: 'truth' };

/**
 * An endpoint in a process of its own that does as its script says.
 *
 * @typedef {object} ScriptedEndpoint
 * @property {Record<string, string>} env what a client needs to know to reach it
 * @property {LocalS3['report']} report
 *
 * @typedef {object} EndpointScript
 * @property {string} [faults] see parseFaults
 * @property {'store' | 'null'} [mode]
 * @property {number} [objectSize] in null mode, bytes
 * @property {readonly string[]} [buckets] one without
 * @property {Place} [place] of its process
 */

/**
 * @template Result
 * @param {EndpointScript} script
 * @param {(endpoint: ScriptedEndpoint) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws {Error} where the endpoint does not start, or ends by itself
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
