import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../../lib/index.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

const SDK = { client: /** @type {const} */ ('sdk'), sdkDefaults: true, size: 100, preflight: false };

describe('--sdk-defaults', { concurrency: 2 }, () => {
  test('sends no more than 50 requests at once, and reports the wait for a socket', async () => {
    const load = { objects: 3000, threads: 200, duration: '10s', faults: 'latency=400ms', stages: 'write' };
    const { stages } = await run({ store: 'local', ...SDK, ...load, keep: true });
    const { average, connections, failedAttempts, latency, operations } = /** @type {any} */ (stages[0]);
    const most = 50 / 0.4;
    assert.ok(average <= 1.1 * most, `${average} ops/s, at most ${most}`);
    // On a very busy machine, attempts time out while they wait, and lose their connections.
    assert.ok(connections.opened <= 50 + failedAttempts, `${connections.opened} connections`);
    const share = connections.socketWait / (operations * latency.operations.mean);
    // A busy machine adds to the latency, but not to the wait.
    assert.ok(share > 0.1 && share < 1, `${share} of the latency`);
  });

  test('counts the attempts of the SDK, and leaves retries to it', async () => {
    const faults = 'PUT.status=503:20%,seed=3';
    const { stages } = await run({ store: 'local', ...SDK, objects: 200, threads: 4, faults, stages: 'write,remove' });
    const { attempts, operations, failed, errors, retries } = /** @type {any} */ (stages[0]);
    assert.equal(operations + failed, 200);
    assert.ok(attempts > 220 && errors['retried-by-sdk'] === retries, JSON.stringify(stages[0]));
  });

  test('sends the checksums that applications send', async (t) => {
    const endpoint = await startTestEndpoint(t);
    /** @type {Set<string>} */
    const checksums = new Set();
    const { port } = await startFaultProxy(t, endpoint, (exchange) => {
      const names = Object.keys(exchange.headers).filter((name) => name.startsWith('x-amz-checksum'));
      names.forEach((name) => checksums.add(name));
      return exchange.pass();
    });
    const { credentials, buckets } = endpoint;
    const store = { endpoint: `http://127.0.0.1:${port}`, bucket: buckets, credentials };
    const { stages } = await run({ store, ...SDK, objects: 10, threads: 2 });
    assert.ok(stages.every(({ operations, failed }) => operations === 10 && failed === 0));
    assert.deepEqual([...checksums].sort(), ['x-amz-checksum-crc32', 'x-amz-checksum-mode']);
  });
});
