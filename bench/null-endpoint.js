import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { makeCertificate } from './studies/certificate.js';

/**
 * @typedef {object} RunningEndpoint
 * @property {Record<string, string>} env variables with which a client reaches and trusts it
 * @property {() => Promise<void>} close
 */

const PROGRAM = fileURLToPath(new URL('./null-server.js', import.meta.url));
const HOSTNAME = '127.0.0.1';

/**
 * An endpoint in a separate process with almost no cost per request, so that measurements reflect the client: it checks no
 * signatures, stores nothing, and generates objects from their keys.
 *
 * @param {{ objectSize: number, certificate?: { key: string, cert: string } | null, latency?: number }} options size in bytes;
 *   latency in ms
 */
export async function startNullServer({ objectSize, certificate = null, latency = 0 }) {
  const child = fork(PROGRAM, [JSON.stringify({ objectSize, certificate, latency })], { execArgv: [] });
  const [{ port }] = await once(child, 'message');
  const close = async () => {
    child.disconnect();
    await once(child, 'exit');
  };
  return { hostname: HOSTNAME, port: Number(port), close };
}

/**
 * @param {{ objectSize: number, useTls: boolean, latency?: number }} options
 * @returns {Promise<RunningEndpoint>}
 */
export async function startNullEndpoint({ objectSize, useTls, latency }) {
  const made = useTls ? await makeCertificate() : null;
  const certificate = made === null ? null : { key: made.key, cert: made.certificate };
  const { port, close } = await startNullServer({ objectSize, certificate, latency });
  return {
    env: {
      S3_BUCKET: 'bench',
      S3_HOSTNAME: HOSTNAME,
      S3_PORT: String(port),
      S3_USE_SSL: useTls ? '1' : '0',
      S3_ACCESS_KEY: 'bench',
      S3_SECRET_KEY: 'bench',
      ...(made === null ? {} : { NODE_EXTRA_CA_CERTS: made.certificateFile }),
    },
    async close() {
      await close();
      made?.remove();
    },
  };
}
