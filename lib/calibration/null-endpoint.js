import { startLocalS3 } from '../local-s3/start.js';

/**
 * @import { LocalS3 } from '../local-s3/start.js'
 * @import { StoreConfig } from '../model/config.js'
 */

const BUCKET = 'calibration';

/** The endpoint checks no signatures, but requests need one anyway. */
const CREDENTIALS = Object.freeze({ accessKeyId: 'calibration', secretAccessKey: 'calibration' });

/**
 * An endpoint that does almost nothing per request. It runs in a separate process, off the client's event loop.
 *
 * @typedef {Pick<LocalS3, 'report' | 'close' | 'failure'> & { store: StoreConfig }} NullEndpoint
 */

/**
 * @param {{ size: number, useTls: boolean, env: NodeJS.ProcessEnv }} options `size`: bytes; `env`: of its process
 * @returns {Promise<NullEndpoint>} listening
 * @throws {Error} if it cannot be started
 */
export async function startNullEndpoint({ size, useTls, env }) {
  const tls = useTls ? 'self-signed' : null;
  const { hostname, port, certificate, report, close, failure } = await startLocalS3(
    { buckets: [BUCKET], credentials: CREDENTIALS, mode: 'null', objectSize: size, tls },
    { env },
  );
  const store = {
    buckets: [BUCKET],
    hostname,
    port,
    useTls,
    certificate: certificate ?? undefined,
    region: 'auto',
    credentials: CREDENTIALS,
    isEmbedded: true,
  };
  return { report, close, failure, store };
}
