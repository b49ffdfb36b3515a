import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { OBJECTS, assertSeenByStore, fastTime, faultRun, sum } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind } from '../helpers/outcome.js';

/** Objects whose first requests are affected, if only some are. */
const FEW = [3, 10, 20];

/** Longer than an attempt on a busy machine. */
const RETRY_AFTER_S = 10;

/** In each second, the log shows at most three retries separately, and the rest in one line. */
const MAX_LINES_PER_SECOND = 4;

/** @param {any} report */
function operationLatencies(report) {
  return report.stages.map((/** @type {any} */ stage) => stage.latency.operations);
}

/** @param {any} report */
function attemptLatencies(report) {
  return report.stages.map((/** @type {any} */ stage) => stage.latency.attempts);
}

describe('a store that asks for fewer requests', { concurrency: 2 }, () => {
  test('Row 10: a storm of 503 and 429 is sat out, counted as throttling, and does not flood the log', async (t) => {
    const [busy, tooMany] = ['status=503/SlowDown:40%', 'status=429/TooManyRequests:40%'];
    const faults = `seed=7, PUT.${busy}, GET.${busy}, HEAD.${tooMany}, DELETE.${tooMany}`;
    const endpoint = await startTestEndpoint(t, { faults });
    // Preflight would also meet the storm, and might give up.
    const run = await faultRun(t, endpoint, ['--no-preflight']);
    assertStatus(run, 0);
    for (const stage of run.stages) {
      assert.equal(stage.operations, OBJECTS);
      assert.ok(stage.throttled > OBJECTS / 4, `${stage.throttled} of ${stage.stage} were throttled`);
      assert.deepEqual([stage.retries, stage.errors], [stage.throttled, { throttled: stage.throttled }]);
    }
    const report = await endpoint.report();
    const throttled = sum(run.stages.map((stage) => stage.throttled));
    const refused = report.statuses[503] + report.statuses[429];
    assert.ok(throttled <= refused && throttled >= refused - sum(Object.values(run.report.requests)));
    assertSeenByStore(run, report);
    assert.deepEqual(await keysIn(endpoint), []);

    const retryLines = ofKind(run.records, 'retrying');
    const seconds = ofKind(run.records, 'second');
    assert.ok(retryLines.length <= MAX_LINES_PER_SECOND * seconds.length, `${retryLines.length} lines`);
    assert.ok(
      retryLines.some(({ more }) => more > 0),
      'one line for the rest of a second',
    );
  });

  test('Row 9: Retry-After is honoured, and counts in the latency of operations, not of attempts', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const asked = new Set();
    const proxy = await startFaultProxy(t, endpoint, (exchange) => {
      if (exchange.operation === 'HEAD' && FEW.includes(exchange.index) && !asked.has(exchange.index)) {
        asked.add(exchange.index);
        return exchange.refuse(503, 'SlowDown', { 'Retry-After': RETRY_AFTER_S });
      }
      return exchange.pass();
    });
    const run = await faultRun(t, endpoint, [], { port: proxy.port });
    assertStatus(run, 0);
    assert.deepEqual(
      run.stages.map(({ throttled }) => throttled),
      [0, 0, FEW.length, 0],
    );
    const [, , stat] = operationLatencies(run.report);
    assert.ok(stat.maximum >= 1000 * RETRY_AFTER_S, `an operation took ${stat.maximum}ms`);
    const [, , attempts] = attemptLatencies(run.report);
    assert.equal(attempts.count, OBJECTS + FEW.length);
    assert.ok(attempts.maximum < 1000 * RETRY_AFTER_S, `an attempt took ${attempts.maximum}ms`);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});

describe('an operation without a fault never waits', { concurrency: 2 }, () => {
  test('behind operations that the store does not answer', async (t) => {
    const endpoint = await startTestEndpoint(t);
    /** @type {Set<number>} */
    const others = new Set();
    /** @type {(() => void)[]} */
    const held = [];
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      if (exchange.operation === 'GET' && FEW.includes(exchange.index)) {
        held.push(() => void exchange.pass());
      } else {
        await exchange.pass();
      }
      if (exchange.operation === 'GET' && exchange.index >= 0 && exchange.index < OBJECTS) {
        others.add(exchange.index);
      }
      if (others.size === OBJECTS) {
        held.splice(0).forEach((answer) => answer());
      }
    });
    // One thread more than are held.
    const run = await runCommand(t, [`${OBJECTS}`, `${FEW.length + 1}`, '--timeout', '30s'], {
      dotEnv: dotEnvOf(endpoint, { S3_PORT: proxy.port }),
    });
    assertStatus(run, 0);
    assert.match(run.stdout, /^Read took .* Recoverable errors 0$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('behind operations that the store asked to wait', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const objects = 40;
    const throttled = new Set();
    let others = 0;
    /** @type {number[]} */
    const othersAtRetry = [];
    const proxy = await startFaultProxy(t, endpoint, (exchange) => {
      const { operation, index } = exchange;
      if (operation === 'GET' && FEW.includes(index) && !throttled.has(index)) {
        throttled.add(index);
        return exchange.refuse(503, 'SlowDown', { 'Retry-After': 30 });
      }
      if (operation === 'GET' && FEW.includes(index)) {
        othersAtRetry.push(others);
      } else if (operation === 'GET' && index >= 0 && index < objects) {
        others += 1;
      }
      return exchange.pass();
    });
    const parameters = [`${objects}`, `${FEW.length + 1}`, '--size', '1KiB', '--cores', '1', '--timeout', '1m'];
    // Half a minute passes in six seconds, in which one thread must finish all others.
    const env = fastTime(5);
    const run = await runCommand(t, parameters, { dotEnv: dotEnvOf(endpoint, { S3_PORT: proxy.port }), env });
    assertStatus(run, 0);
    assert.deepEqual(
      othersAtRetry,
      FEW.map(() => objects - FEW.length),
      'all others are done before the first waiting one is retried',
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
