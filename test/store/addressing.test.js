import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { connectionHostname, endpointUrl } from '../../lib/store/address.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { openStore } from '../../lib/store/object-store.js';
import { head, put } from '../helpers/store.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/**
 * Sends a PUT and a HEAD to a server that says yes to all, and returns what they were sent to.
 *
 * @param {TestContext} t
 * @param {'direct' | 'sdk'} client
 * @param {{ hostname?: string, addressing?: 'path' | 'virtual', basePath?: string, buckets?: readonly string[] }} address
 * @returns {Promise<string[]>} host without port, and path
 */
async function targetsOf(t, client, address) {
  /** @type {string[]} */
  const targets = [];
  const { hostname: name = 'localhost' } = address;
  const server = http.createServer((request, response) => {
    // R2 would not answer Expect, and no checksum is sent that was not asked for.
    const { expect, 'transfer-encoding': encoding, ...headers } = request.headers;
    assert.match(String(headers.authorization), /\/auto\/s3\/aws4_request/);
    const checksums = Object.keys(headers).filter((header) => header.includes('checksum'));
    assert.deepEqual([expect, encoding, checksums], [undefined, undefined, []]);
    targets.push(`${request.headers.host?.replace(/:[0-9]+$/, '')} ${request.url?.replace(/\?.*$/, '')}`);
    request.resume().once('end', () => response.setHeader('ETag', '"0"').end());
  });
  await new Promise((resolve) => server.listen(0, name === '::1' ? name : '127.0.0.1', () => resolve(null)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  const store = { hostname: name, port, useTls: false, buckets: ['bucket-a'], region: 'auto', ...address };
  const hostname = connectionHostname(store);
  const now = () => performance.now();
  const addresses = new AddressBook(hostname, now);
  const agent = new KeepAliveAgent({
    ...store,
    hostname,
    addresses,
    connectTimeout: 10_000,
    now,
    hooks: { opened() {} },
  });
  const credentials = new LiveCredentials({ accessKeyId: 'key', secretAccessKey: 'secret' });
  const opened = await openStore(client, {
    ...store,
    region: store.region,
    agent,
    credentials,
    keepAlive: true,
    threads: 1,
    now,
    epochNow: Date.now,
  });
  t.after(async () => {
    await opened.close();
    agent.close();
    server.closeAllConnections();
    server.close();
  });
  const connection = opened.openConnection(0);
  const body = Buffer.alloc(3 * 1024 ** 2);
  await put(connection, store.buckets[0], 'a/key', body, body.length);
  await head(connection, store.buckets[0], 'a/key');
  return targets;
}

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  for (const { address, target } of /** @type {const} */ ([
    { address: {}, target: 'localhost /bucket-a/a/key' },
    { address: { hostname: '::1' }, target: '[::1] /bucket-a/a/key' },
    { address: { addressing: 'path' }, target: 'localhost /bucket-a/a/key' },
    { address: { basePath: '/storage/v1/s3' }, target: 'localhost /storage/v1/s3/bucket-a/a/key' },
    { address: { addressing: 'virtual' }, target: 'bucket-a.localhost /a/key' },
    { address: { addressing: 'virtual', basePath: '/s3' }, target: 'bucket-a.localhost /s3/a/key' },
  ])) {
    test(`${client}: with ${JSON.stringify(address)} requests go to ${target}`, async (t) => {
      assert.deepEqual(await targetsOf(t, client, address), [target, target]);
    });
  }
}

// Names and variables that make the SDK use other hosts, other services in signatures, or further requests.
const NAMES = [
  'a--use1-az4--x-s3',
  'a-xyz--xa-s3',
  'a--ol-s3',
  'a.mrap',
  'bucket.with.dots',
  'UPPER_case',
  'sts-s3alias',
];
const VARIABLES = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_S3_USE_ARN_REGION: 'true',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1',
  AWS_S3_DISABLE_MULTIREGION_ACCESS_POINTS: 'true',
  AWS_SIGV4A_SIGNING_REGION_SET: '*',
};

for (const bucket of NAMES) {
  test(`sdk: requests for the bucket ${bucket} go to the given endpoint, whatever AWS_… variables are set`, async (t) => {
    const before = { ...process.env };
    Object.assign(process.env, VARIABLES);
    t.after(() => {
      process.env = before;
    });
    const target = `localhost /${bucket}/a/key`;
    assert.deepEqual(await targetsOf(t, 'sdk', { buckets: [bucket] }), [target, target]);
  });
}

test('the URL of an endpoint has an IPv6 address in brackets, and the path in front of the bucket', () => {
  assert.equal(endpointUrl({ hostname: '::1', port: 9000, useTls: false }), 'http://[::1]:9000');
  assert.equal(endpointUrl({ hostname: 'a.test', port: 443, useTls: true, basePath: '/s3' }), 'https://a.test:443/s3');
});
