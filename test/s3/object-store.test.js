import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from '../../lib/http/address-book.js';
import { DirectStore } from '../../lib/s3/direct-store.js';
import { KeepAliveAgent } from '../../lib/http/keep-alive-agent.js';
import { LiveCredentials } from '../../lib/s3/live-credentials.js';
import { SigningRegion } from '../../lib/s3/signing-region.js';
import { openStore } from '../../lib/s3/object-store.js';
import { SdkStore } from '../../lib/s3/sdk-store.js';

const OPTIONS = {
  hostname: '127.0.0.1',
  port: 1,
  useTls: false,
  region: new SigningRegion('auto'),
  credentials: new LiveCredentials({ accessKeyId: 'key', secretAccessKey: 'secret' }),
  buckets: [],
  keepAlive: true,
  threads: 1,
  now: () => performance.now(),
  epochNow: Date.now,
};

for (const [client, Store] of /** @type {const} */ ([
  ['direct', DirectStore],
  ['sdk', SdkStore],
])) {
  test(`the client ${client} is opened by its name, and opens no connection before it is needed`, async () => {
    const hooks = { opened() {} };
    const now = () => 0;
    const addresses = new AddressBook(OPTIONS.hostname, now);
    const agent = new KeepAliveAgent({ ...OPTIONS, addresses, connectTimeout: 100, now, hooks });
    const store = await openStore(client, { ...OPTIONS, agent });
    const connection = store.openConnection(0);
    assert.ok(store instanceof Store);
    assert.deepEqual([connection.startedAt, connection.idleSince, agent.opened], [0, 0, 0]);
    await store.close();
  });
}
