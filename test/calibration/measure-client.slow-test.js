import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { capacityOf } from '../../lib/calibration/calibration.js';
import { ClientFailure, measureClient } from '../../lib/calibration/measure-client.js';
import { startNullEndpoint } from '../../lib/calibration/null-endpoint.js';
import { Clock } from '../../lib/clock/clock.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Settings } from '../../lib/calibration/calibration.js'
 * @import { NullEndpoint } from '../../lib/calibration/null-endpoint.js'
 */

const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

const SETTINGS = Object.freeze({
  client: /** @type {const} */ ('direct'),
  useTls: false,
  keepAlive: true,
  size: 1000,
  threads: 4,
});

/**
 * @param {TestContext} t
 * @param {number} [size] bytes
 */
async function startEndpoint(t, size = 1000) {
  const endpoint = await startNullEndpoint({ size, useTls: false, env: process.env });
  t.after(() => endpoint.close());
  return endpoint;
}

/**
 * @param {Pick<NullEndpoint, 'report' | 'store'>} endpoint
 * @param {Settings & { threads: number }} [settings]
 */
function measure(endpoint, settings = SETTINGS) {
  return measureClient({
    endpoint,
    settings,
    identity: { host: 'this-host', versions: {} },
    availableCores: 2,
    clock: new Clock(),
    random: Math.random,
    signal: new AbortController().signal,
  });
}

describe('measuring the client', { concurrency: 2 }, () => {
  test('proves nothing if the endpoint was busier; repeats a stage that was too short', async (t) => {
    const size = 4 * 1024 ** 2;
    const endpoint = await startEndpoint(t, size);
    const report = async () => ({ ...(await endpoint.report()), eventLoopUtilization: 1 });
    const measurements = await measure({ report, store: endpoint.store }, { ...SETTINGS, size });
    assert.deepEqual(
      measurements.map(({ stage }) => stage),
      STAGES,
    );
    for (const measurement of measurements.filter(({ eventLoopUtilization }) => eventLoopUtilization < 1)) {
      const { operationsPerSecond, unproven } = capacityOf(measurement);
      assert.equal(operationsPerSecond, null);
      assert.match(String(unproven), /^the endpoint was busier \(100%\) than the client \(\d+%\)/);
    }
    const { requests } = await endpoint.report();
    assert.ok(requests.DELETE.total > requests.PUT.total, 'Remove had more objects than Write has left');
  });

  test('proves nothing about a stage without finished operations, but measures the others', async (t) => {
    const endpoint = await startEndpoint(t);
    // The stage reads objects; earlier reads are of probes.
    const proxy = await startFaultProxy(t, { port: endpoint.store.port }, (exchange) =>
      exchange.operation === 'GET' && exchange.index >= 0 ? undefined : exchange.pass(),
    );
    const store = { ...endpoint.store, port: proxy.port };
    const measurements = await measure({ report: endpoint.report, store });
    assert.deepEqual(
      measurements.map(({ stage, operationsPerSecond }) => [stage, operationsPerSecond > 0]),
      STAGES.map((stage) => [stage, stage !== 'Read']),
    );
    assert.equal(capacityOf(measurements[1]).unproven, 'no operation succeeded');
  });

  test('reports why the client could not work', async (t) => {
    const endpoint = await startEndpoint(t);
    const proxy = await startFaultProxy(t, { port: endpoint.store.port }, (exchange) =>
      exchange.refuse(403, 'AccessDenied'),
    );
    const store = { ...endpoint.store, port: proxy.port };
    await assert.rejects(measure({ report: endpoint.report, store }), (error) => {
      assert.ok(error instanceof ClientFailure);
      assert.match(error.message, /AccessDenied/);
      return true;
    });
  });

  test('reports why operations failed in a stage', async (t) => {
    const endpoint = await startEndpoint(t);
    const proxy = await startFaultProxy(t, { port: endpoint.store.port }, async (exchange) => {
      const answer = await exchange.forward();
      exchange.respond(
        exchange.operation === 'GET' && exchange.index >= 0
          ? { ...answer, body: Buffer.alloc(answer.body.length) }
          : answer,
      );
    });
    const store = { ...endpoint.store, port: proxy.port };
    await assert.rejects(measure({ report: endpoint.report, store }), (error) => {
      assert.ok(error instanceof ClientFailure);
      assert.match(error.message, /^Read: \S/);
      return true;
    });
  });
});
