import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RUN_NAMES, WAYS, latencyByDistance } from '../../bench/studies/edge/geographies.js';
import { STAGES, measureWay } from '../../bench/studies/edge/measure-way.js';
import { withServers } from '../../bench/studies/edge/servers.js';
import { agreedProtocol } from '../../bench/studies/endpoint.js';

const GEOGRAPHY = { name: 'short', userToStore: 12, userToWorker: 10, workerToStore: 20 };
const REQUESTS = 8;

/** The local R2's delay and a Worker's clock are both in whole milliseconds. */
const RESOLUTION_MS = 1;

test('each way takes at least its round trips and connects as often as it states, over the same TLS', async () => {
  await withServers([GEOGRAPHY], async (servers) => {
    const ports = [servers.storePort, ...Array.from(servers.workers.values(), ({ url }) => Number(url.port))];
    for (const port of ports) {
      assert.equal(await agreedProtocol(port, servers.certificate), 'TLSv1.3');
    }
    for (const name of RUN_NAMES) {
      const { tally, binding, ...stages } = await measureWay(name, GEOGRAPHY, servers, REQUESTS);
      for (const stage of STAGES) {
        const { minimum } = stages[stage];
        const expected = latencyByDistance(WAYS[name], GEOGRAPHY);
        assert.ok(minimum >= expected - RESOLUTION_MS, `${stage}, ${name}: ${minimum} ms, expected ${expected}`);
      }
      for (const stage of WAYS[name].from === 'userToWorker' ? STAGES : []) {
        const { minimum } = binding[stage];
        assert.ok(minimum >= GEOGRAPHY.workerToStore - RESOLUTION_MS, `${stage}, binding of ${name}: ${minimum} ms`);
      }
      if (!WAYS[name].keepsConnections) {
        assert.ok(tally.connections > STAGES.length * REQUESTS);
        assert.equal(tally.median, 2, 'a handshake, and a request');
      } else {
        assert.ok(tally.most > STAGES.length * REQUESTS, `${name}: ${tally.most} requests on a connection`);
      }
    }
  });
});
