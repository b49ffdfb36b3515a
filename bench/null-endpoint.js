import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalS3 } from '../lib/local-s3/start.js';

/** @import { LocalS3 } from '../lib/local-s3/start.js' */

const BUCKET = 'bench';
const CREDENTIALS = { accessKeyId: 'bench', secretAccessKey: 'bench' };
const FAR_STORE = new URL('./far-store.js', import.meta.url).href;

/**
 * An endpoint in a separate process with almost no cost per request, so that measurements reflect the client.
 *
 * @typedef {object} RunningEndpoint
 * @property {Record<string, string>} env variables with which a client reaches and trusts it
 * @property {LocalS3['report']} report
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ objectSize: number, useTls: boolean, latency?: number }} options size in bytes; latency in ms, default 0
 * @returns {Promise<RunningEndpoint>}
 */
export async function startNullEndpoint({ objectSize, useTls, latency = 0 }) {
  const { hostname, port, certificate, report, close } = await startLocalS3(
    { buckets: [BUCKET], credentials: CREDENTIALS, mode: 'null', objectSize, tls: useTls ? 'self-signed' : null },
    {
      env: { ...process.env, STORE_LATENCY_MS: String(latency) },
      execArgv: latency === 0 ? [] : ['--import', FAR_STORE],
    },
  );
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-'));
  const authorities = join(folder, 'authority.pem');
  writeFileSync(authorities, certificate ?? '');
  return {
    env: {
      S3_BUCKET: BUCKET,
      S3_HOSTNAME: hostname,
      S3_PORT: String(port),
      S3_USE_SSL: useTls ? '1' : '0',
      S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
      S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
      ...(useTls ? { NODE_EXTRA_CA_CERTS: authorities } : {}),
    },
    report,
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}
