import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

const PROGRAM = new URL('../lib/local-s3/process.js', import.meta.url).pathname;
const BUCKET = 'bench';

/**
 * An endpoint in a process of its own that does next to nothing for a request, so that the client is what is measured.
 *
 * @typedef {object} NullEndpoint
 * @property {Record<string, string>} env what a client needs to know to reach and to trust it
 * @property {() => void} close
 */

/**
 * @param {{ objectSize: number, useTls: boolean }} options bytes
 * @returns {Promise<NullEndpoint>}
 */
export async function startNullEndpoint({ objectSize, useTls }) {
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-'));
  const certificate = useTls ? await makeCertificate() : null;
  const options = {
    buckets: [BUCKET],
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
    mode: 'null',
    objectSize,
    tls: certificate,
  };
  const server = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout, 'data');
  const authorities = join(folder, 'authority.pem');
  writeFileSync(authorities, certificate?.cert ?? '');
  return {
    env: {
      S3_BUCKET: BUCKET,
      S3_HOSTNAME: '127.0.0.1',
      S3_PORT: String(JSON.parse(String(line)).port),
      S3_ACCESS_KEY: 'bench',
      S3_SECRET_KEY: 'bench',
      S3_USE_SSL: useTls ? '1' : '0',
      ...(useTls ? { NODE_EXTRA_CA_CERTS: authorities } : {}),
    },
    close() {
      server.stdin.end();
      rmSync(folder, { recursive: true });
    },
  };
}

async function makeCertificate() {
  const altNames = [/** @type {const} */ ({ type: 7, ip: '127.0.0.1' })];
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  return { key, cert };
}
