import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLocalWorker } from '../../edge/local-process.js';
import { makeCertificate } from '../../bench/studies/certificate.js';
import { WAYS, WAY_NAMES, latencyByDistance } from '../../bench/studies/edge/geographies.js';
import { STAGES, measureWays } from '../../bench/studies/edge/measure-ways.js';
import { BUCKET, agreedProtocol } from '../../bench/studies/endpoint.js';

const GEOGRAPHY = { name: 'short', userToWorker: 10, workerToStore: 20 };
const REQUESTS = 8;

/** The local R2's delay and a Worker's clock are both in whole milliseconds. */
const RESOLUTION_MS = 1;

test('each way takes at least its round trips and connects as often as it states', async (t) => {
  const certificate = await makeCertificate();
  t.after(certificate.remove);
  const delays = { put: GEOGRAPHY.workerToStore, get: GEOGRAPHY.workerToStore };
  const worker = await startLocalWorker({ buckets: [BUCKET], behaviour: { delays }, tls: certificate });
  t.after(worker.stop);
  assert.equal(await agreedProtocol(Number(worker.url.port), certificate), 'TLSv1.3');
  const { ways, tallies } = await measureWays(GEOGRAPHY, { worker, certificate }, REQUESTS);
  for (const name of WAY_NAMES) {
    for (const stage of STAGES) {
      const { count, minimum } = /** @type {any} */ (ways[name][stage]);
      const expected = latencyByDistance(WAYS[name], GEOGRAPHY);
      assert.equal(count, REQUESTS);
      assert.ok(minimum >= expected - RESOLUTION_MS, `${stage}, ${name}: ${minimum} ms, expected ${expected}`);
    }
  }
  assert.ok(tallies.kept.most > STAGES.length * REQUESTS, `${tallies.kept.most} requests on a connection`);
  assert.ok(tallies.cold.connections > STAGES.length * REQUESTS);
  assert.equal(tallies.cold.median, 2, 'a handshake, and a request');
});
