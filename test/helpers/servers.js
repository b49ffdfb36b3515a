import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from 'selfsigned';
import { Agent, request } from 'undici';
import { ADDRESS, startServer } from './server-process.js';

/** @import { RequestCounts, TestServer } from './server-process.js' */

/**
 * @param {object} [options]
 * @param {boolean} [options.tls] with its own certificate for 127.0.0.1 and localhost
 * @returns {Promise<TestServer>} ready
 */
export function startMinio({ tls = false } = {}) {
  return startServer({
    name: 'minio',
    async prepare(folder) {
      const certificates = certificatesIn(folder);
      await mkdir(certificates);
      return tls ? writeCertificate(certificates) : null;
    },
    environment: ({ accessKeyId, secretAccessKey }) => ({
      MINIO_ROOT_USER: accessKeyId,
      MINIO_ROOT_PASSWORD: secretAccessKey,
      MINIO_SITE_REGION: 'auto',
      MINIO_PROMETHEUS_AUTH_TYPE: 'public',
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    }),
    parameters: (port, folder) => [
      'server',
      ...['--address', `${ADDRESS}:${port}`],
      ...['--certs-dir', certificatesIn(folder)],
      dataIn(folder),
    ],
    readCounts: readMinioMetrics,
  });
}

/**
 * @param {object} [options]
 * @param {boolean} [options.keepAlive] false: close the connection after every response
 * @param {boolean} [options.versioning] whether its buckets support versions
 * @returns {Promise<TestServer>} ready
 */
export function startVersitygw({ keepAlive = true, versioning = false } = {}) {
  return startServer({
    name: 'versitygw',
    async prepare(folder) {
      await mkdir(dataIn(folder));
      await mkdir(versionsIn(folder));
      return null;
    },
    environment: ({ accessKeyId, secretAccessKey }) => ({
      ROOT_ACCESS_KEY: accessKeyId,
      ROOT_SECRET_KEY: secretAccessKey,
    }),
    parameters: (port, folder) => [
      ...['--port', `${ADDRESS}:${port}`],
      ...['--region', 'auto'],
      ...['--quiet', '--access-log', accessLogIn(folder)],
      ...(keepAlive ? ['--keep-alive'] : []),
      'posix',
      ...(versioning ? ['--versioning-dir', versionsIn(folder)] : []),
      dataIn(folder),
    ],
    readCounts: readVersitygwAccessLog,
  });
}

/** @returns {Promise<TestServer>} ready */
export function startRclone() {
  return startServer({
    name: 'rclone',
    async prepare(folder) {
      await mkdir(dataIn(folder));
      return null;
    },
    environment: ({ accessKeyId, secretAccessKey }) => ({ RCLONE_AUTH_KEY: `"${accessKeyId},${secretAccessKey}"` }),
    parameters: (port, folder) => ['serve', 's3', '--addr', `${ADDRESS}:${port}`, dataIn(folder)],
    readCounts,
  });
}

/** @returns {Promise<TestServer>} ready */
export function startMoto() {
  return startServer({
    name: 'moto_server',
    prepare: async () => null,
    environment: () => ({}),
    parameters: (port) => ['--host', ADDRESS, '--port', String(port)],
    readCounts,
  });
}

/** These servers count no requests. @returns {Promise<RequestCounts>} */
async function readCounts() {
  return new Map();
}

/** @param {string} folder */
function dataIn(folder) {
  return path.join(folder, 'data');
}

/** @param {string} folder */
function versionsIn(folder) {
  return path.join(folder, 'versions');
}

/** @param {string} folder */
function certificatesIn(folder) {
  return path.join(folder, 'certificates');
}

/** @param {string} folder */
function accessLogIn(folder) {
  return path.join(folder, 'access.log');
}

/**
 * @param {string} folder
 * @returns {Promise<string>} path of the certificate, named as MinIO requires, next to its private key
 */
async function writeCertificate(folder) {
  const { private: privateKey, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: ADDRESS },
        ],
      },
    ],
  });
  const certificate = path.join(folder, 'public.crt');
  await writeFile(path.join(folder, 'private.key'), privateKey);
  await writeFile(certificate, cert);
  return certificate;
}

/**
 * MinIO exports request counts by operation to Prometheus. This endpoint avoids the cache of the older
 * `/minio/v2/metrics/cluster`, which is ten seconds old.
 *
 * @param {TestServer} server
 * @returns {Promise<RequestCounts>}
 */
async function readMinioMetrics({ origin, certificate }) {
  const ca = certificate === null ? undefined : await readFile(certificate);
  const dispatcher = new Agent({ connect: { ca } });
  const { body } = await request(`${origin}/minio/metrics/v3/api/requests`, { dispatcher });
  const metrics = await body.text();
  await dispatcher.close();
  const failed = new Map(metricByOperation(metrics, 'minio_api_requests_errors_total'));
  return new Map(
    metricByOperation(metrics, 'minio_api_requests_total').map(([operation, requests]) => [
      operation,
      { requests, succeeded: requests - (failed.get(operation) ?? 0) },
    ]),
  );
}

/**
 * @param {string} metrics in Prometheus' text format
 * @param {string} name
 * @returns {[operation: string, value: number][]}
 */
function metricByOperation(metrics, name) {
  const values = metrics.matchAll(new RegExp(`^${name}\\{name="([A-Za-z0-9]+)",[^}]*\\} (\\d+)$`, 'gm'));
  return [...values].map(([, operation, value]) => [operation.toLowerCase(), Number(value)]);
}

/**
 * versitygw writes one line per request, in the format of S3's server access logs: owner, bucket, time, address,
 * requester, request ID, operation, key, request target, status.
 *
 * @param {TestServer} server
 * @returns {Promise<RequestCounts>}
 */
async function readVersitygwAccessLog({ folder }) {
  const log = await readFile(accessLogIn(folder), 'utf8');
  /** @type {RequestCounts} */
  const counts = new Map();
  for (const [, operation, status] of log.matchAll(
    /^\S+ \S+ \[[^\]]*\] \S+ \S+ \S+ s3_([A-Za-z0-9]+) \S+ \S+ (\d{3}) /gm,
  )) {
    const name = operation.toLowerCase();
    const { requests, succeeded } = counts.get(name) ?? { requests: 0, succeeded: 0 };
    counts.set(name, { requests: requests + 1, succeeded: succeeded + Number(status.startsWith('2')) });
  }
  return counts;
}
