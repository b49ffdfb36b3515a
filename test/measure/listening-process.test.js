import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { findListeningProcess } from '../../lib/measure/host/store-interface.js';

const { skip } = { skip: process.platform !== 'linux' };

for (const host of ['127.0.0.1', '::1']) {
  test(`finds the process that listens on ${host} by its port, or none if there is no listener`, { skip }, async () => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    assert.equal(findListeningProcess(port), process.pid);
    server.close();
    await once(server, 'close');
    assert.equal(findListeningProcess(port), null);
  });
}
