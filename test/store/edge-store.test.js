import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { S3_CALLS, openStore } from '../../lib/store/object-store.js';

/** @import { AddressInfo } from 'node:net' */

const HOSTNAME = '127.0.0.1';

test('each response yields the time that the binding took, if the Worker reports it', async (t) => {
  /** @type {string[][]} */
  const headers = [['r2;dur=12'], ['cfL4;desc="x, r2;dur=9x"', 'cfExtPri, r2-first-byte;dur=7'], ['db;dur=3'], []];
  const server = createServer((_, response) => response.setHeader('server-timing', headers.shift() ?? []).end());
  await new Promise((resolve) => server.listen(0, HOSTNAME, () => resolve(undefined)));
  const { port } = /** @type {AddressInfo} */ (server.address());
  const now = () => performance.now();
  const address = { hostname: HOSTNAME, port, useTls: false, now };
  const addresses = new AddressBook(HOSTNAME, now);
  const agent = new KeepAliveAgent({ ...address, addresses, connectTimeout: 10_000, hooks: { opened() {} } });
  const store = await openStore('edge', {
    ...address,
    agent,
    buckets: ['one'],
    region: 'auto',
    credentials: new LiveCredentials({ accessKeyId: 'edge', secretAccessKey: 'secret' }),
    keepAlive: true,
    threads: 1,
    epochNow: Date.now,
  });
  t.after(async () => {
    await store.close();
    agent.close();
    server.close();
  });
  const connection = store.openConnection(0);
  const times = [];
  while (headers.length > 0) {
    await connection.send(S3_CALLS.HeadObject, { bucket: 'one', key: 'k', size: 0, body: null, sink: { accept() {} } });
    const { bindingTime = NaN, isFirstByteTime } = connection.reply;
    times.push(bindingTime < 0 ? null : [bindingTime, isFirstByteTime]);
  }
  assert.deepEqual(times, [[12, false], [7, true], null, null]);
});
