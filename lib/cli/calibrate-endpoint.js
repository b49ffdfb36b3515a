import { startLocalS3 } from '../local-s3/start.js';

/**
 * @import { LocalS3 } from '../local-s3/start.js'
 */

const BUCKET = 'calibration';

/** The endpoint checks no signature, but a request has one all the same. */
const CREDENTIALS = Object.freeze({ accessKeyId: 'calibration', secretAccessKey: 'calibration' });

/**
 * An endpoint that does next to nothing for a request.
 *
 * @typedef {Pick<LocalS3, 'report' | 'close' | 'certificate' | 'failure'> & { variables: Record<string, string> }} NullEndpoint its
 *   variables lead a client to it; its certificate is what the client has to trust
 */

/**
 * @param {object} options
 * @param {number} options.size bytes of each object
 * @param {boolean} options.useTls
 * @param {NodeJS.ProcessEnv} options.env
 * @returns {Promise<NullEndpoint>} that listens
 * @throws {Error} where it did not come that far
 */
export async function startNullEndpoint({ size, useTls, env }) {
  const tls = useTls ? 'self-signed' : null;
  const { hostname, port, certificate, report, close, failure } = await startLocalS3(
    { buckets: [BUCKET], credentials: CREDENTIALS, mode: 'null', objectSize: size, tls },
    { env },
  );
  const variables = {
    S3_BUCKET: BUCKET,
    S3_HOSTNAME: hostname,
    S3_PORT: String(port),
    S3_USE_SSL: useTls ? '1' : '0',
    S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
    S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
  };
  return { report, close, certificate, failure, variables };
}
