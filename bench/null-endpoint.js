import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNullEndpoint as startEndpoint } from '../lib/calibration/null-endpoint.js';

/**
 * An endpoint in a process of its own that does next to nothing for a request, so that the client is what is measured.
 *
 * @typedef {object} RunningEndpoint
 * @property {Record<string, string>} env what a client needs to know to reach and to trust it
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ objectSize: number, useTls: boolean }} options bytes
 * @returns {Promise<RunningEndpoint>}
 */
export async function startNullEndpoint({ objectSize, useTls }) {
  const { store, close } = await startEndpoint({ size: objectSize, useTls, env: process.env });
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-'));
  const authorities = join(folder, 'authority.pem');
  writeFileSync(authorities, store.certificate ?? '');
  return {
    env: {
      S3_BUCKET: store.buckets.join(','),
      S3_HOSTNAME: store.hostname,
      S3_PORT: String(store.port),
      S3_USE_SSL: useTls ? '1' : '0',
      S3_ACCESS_KEY: store.credentials.accessKeyId,
      S3_SECRET_KEY: store.credentials.secretAccessKey,
      ...(useTls ? { NODE_EXTRA_CA_CERTS: authorities } : {}),
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}
