import https from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { S3Client } from '@aws-sdk/client-s3';
import { generate } from 'selfsigned';
import { startLocalS3 } from '../../lib/local-s3/start.js';

/**
 * @import { LocalS3, LocalS3Options } from '../../lib/local-s3/start.js'
 * @import { EndpointOptions } from '../../lib/local-s3/process.js'
 * @import { S3ClientConfig } from '@aws-sdk/client-s3'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {LocalS3 & Pick<EndpointOptions, 'buckets' | 'credentials'> & { region: string,
 *   tls: { cert: string } | null }} TestEndpoint `tls.cert` is the certificate that a client must trust; `tls` is null
 *   without TLS
 */

/**
 * Starts an embedded endpoint with the buckets `bucket-a` and `bucket-b` on a free port, and stops it after the test.
 *
 * @param {TestContext} t
 * @param {Partial<LocalS3Options>} [overrides]
 * @returns {Promise<TestEndpoint>} the endpoint and its credentials
 */
export async function startTestEndpoint(t, overrides = {}) {
  const options = {
    buckets: ['bucket-a', 'bucket-b'],
    region: 'auto',
    credentials: { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' },
    ...overrides,
  };
  const endpoint = await startLocalS3(options);
  t.after(() => endpoint.close());
  const { buckets, region, credentials, tls = null } = options;
  return { ...endpoint, buckets, region, credentials, tls };
}

/**
 * An SDK client for a test endpoint, without retries. It is destroyed after the test.
 *
 * @param {TestContext} t
 * @param {Pick<TestEndpoint, 'hostname' | 'port' | 'region' | 'credentials' | 'tls'>} endpoint
 * @param {S3ClientConfig} [overrides]
 * @returns {S3Client}
 */
export function sdkClient(t, { hostname, port, region, credentials, tls }, overrides = {}) {
  const client = new S3Client({
    endpoint: `${tls === null ? 'http' : 'https'}://${hostname}:${port}`,
    region,
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: new NodeHttpHandler({ httpsAgent: new https.Agent({ keepAlive: true, ca: tls?.cert }) }),
    ...overrides,
  });
  t.after(() => client.destroy());
  return client;
}

/** @type {Promise<{ key: string, cert: string }> | undefined} */
let certificate;

/** @returns {Promise<{ key: string, cert: string }>} private key and self-signed certificate for 127.0.0.1, as PEM */
export function testCertificate() {
  certificate ??= makeCertificate();
  return certificate;
}

/** @returns {Promise<{ key: string, cert: string }>} another one on each call */
export async function makeCertificate() {
  const names = [
    { type: /** @type {const} */ (2), value: 'localhost' },
    { type: /** @type {const} */ (7), ip: '127.0.0.1' },
  ];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  return { key, cert };
}
