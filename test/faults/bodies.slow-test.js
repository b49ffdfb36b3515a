import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keysIn } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { OBJECTS, assertConnectionsAddUp, assertSeenByStore, faultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind } from '../helpers/outcome.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Exchange, StoreAnswer } from '../helpers/fault-proxy.js'
 */

const OPERATIONS = /** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE']);

/** One object in twenty is affected. */
const BEFALLEN = Array.from({ length: OBJECTS / 20 }, (_, place) => 20 * place + 3);

/**
 * Runs through a proxy that interferes with requests for some objects, and checks what the store holds in the end.
 *
 * @param {TestContext} t
 * @param {(exchange: Exchange, earlier: number) => Promise<void>} befall handles a request for one of the objects, with
 *   the number of earlier requests of that operation for the same object
 * @param {readonly string[]} [parameters]
 */
async function runBefallen(t, befall, parameters = []) {
  const endpoint = await startTestEndpoint(t);
  /** @type {Map<string, number>} */
  const made = new Map();
  const proxy = await startFaultProxy(t, endpoint, (exchange) => {
    if (!BEFALLEN.includes(exchange.index)) {
      return exchange.pass();
    }
    const name = `${exchange.operation} ${exchange.index}`;
    const earlier = made.get(name) ?? 0;
    made.set(name, earlier + 1);
    return befall(exchange, earlier);
  });
  const run = await faultRun(t, endpoint, parameters, { port: proxy.port });
  assert.deepEqual(await keysIn(endpoint), []);
  assertSeenByStore(run, await endpoint.report());
  return { run, made };
}

/**
 * @param {string} stderr
 * @param {RegExp} pattern of a line about an object, with the object's number as its group
 * @returns {number[]} the objects of such lines, in order
 */
function objectsNamed(stderr, pattern) {
  return [...stderr.matchAll(pattern)].map(([, index]) => Number(index)).toSorted((one, other) => one - other);
}

/**
 * @param {StoreAnswer} answer
 * @param {string} name
 * @param {(value: string) => string} change
 * @returns {StoreAnswer}
 */
function withHeader(answer, name, change) {
  const headers = answer.headers.map((text, place) => (answer.headers[place - 1] === name ? change(text) : text));
  assert.notDeepEqual(headers, answer.headers, `the answer has no ${name}`);
  return { ...answer, headers };
}

describe('wrong bodies and answers', { concurrency: 3 }, () => {
  test('Row 6: an answer cut short by a reset or a close is discarded, retried and counted', async (t) => {
    const { run, made } = await runBefallen(t, async (exchange, earlier) => {
      const answer = await exchange.forward();
      if (earlier === 0) {
        exchange.respondHalf(answer, BEFALLEN.indexOf(exchange.index) % 2 === 0 ? 'reset' : 'close');
      } else {
        exchange.respond(answer);
      }
    });
    assertStatus(run, 0);
    for (const [place, stage] of run.stages.entries()) {
      assert.deepEqual(
        BEFALLEN.map((index) => made.get(`${OPERATIONS[place]} ${index}`)),
        BEFALLEN.map(() => 2),
        stage.stage,
      );
      assert.deepEqual([stage.operations, stage.retries], [OBJECTS, BEFALLEN.length], stage.stage);
      assert.equal(stage.throttled, 0);
    }
    assert.deepEqual(run.stages[1].errors, { truncated: BEFALLEN.length });
    assertConnectionsAddUp(run);
  });

  test(`Row 8: corrupted bytes are integrity errors with key and offset, not successes`, async (t) => {
    const { run, made } = await runBefallen(t, async (exchange) => {
      const answer = await exchange.forward();
      if (exchange.operation === 'GET') {
        answer.body[1700] ^= 0x10;
      }
      exchange.respond(answer);
    });
    assertStatus(run, 1);
    const pattern =
      /^Read: integrity error: bucket-[ab]\/benchmark\/\S+\/[0-9a-f]{8}-(\d+): the body first differs at offset 1700$/gm;
    assert.deepEqual(objectsNamed(run.stderr, pattern), BEFALLEN);
    assert.ok(
      BEFALLEN.every((index) => made.get(`GET ${index}`) === 1),
      'integrity errors are not retried',
    );
    assert.deepEqual(
      ofKind(run.records, 'integrity').map(({ stage, count }) => [stage, count]),
      [['Read', BEFALLEN.length]],
    );
    assert.deepEqual(run.stages[1].errors, { integrity: BEFALLEN.length });
    assert.deepEqual(
      run.stages.map(({ operations, end }) => [operations, end]),
      [OBJECTS, OBJECTS - BEFALLEN.length, OBJECTS, OBJECTS].map((operations) => [operations, 'complete']),
      'the stages continue',
    );
  });

  test(`Row 11: answers that never come, or come byte by byte, end at the attempt's deadline`, async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, GET.hang=4%, GET.drip=4%, HEAD.hang=6%' });
    const run = await faultRun(t, endpoint, ['--timeout', '500ms']);
    assertStatus(run, 0);
    const { faults } = await endpoint.report();
    assert.ok(faults.hang > 0 && faults.drip > 0);
    const [, read, stat] = run.stages;
    assert.ok(read.errors.timeout > 0 && stat.errors.timeout > 0);
    assert.deepEqual([Object.keys(read.errors), Object.keys(stat.errors)], [['timeout'], ['timeout']]);
    const [, ofRead, ofStat] = ofKind(run.records, 'connections');
    assert.ok(
      ofRead.opened + ofStat.opened >= read.errors.timeout + stat.errors.timeout,
      'the socket is destroyed and replaced',
    );
    assert.deepEqual(await keysIn(endpoint), []);
    assertSeenByStore(run, await endpoint.report());
  });

  test('Row 26: a Stat with another ETag or size is an integrity error', async (t) => {
    const { run } = await runBefallen(t, async (exchange) => {
      const answer = await exchange.forward();
      if (exchange.operation !== 'HEAD') {
        exchange.respond(answer);
      } else if (exchange.index % 40 === 3) {
        exchange.respond(withHeader(answer, 'ETag', () => `"${'0'.repeat(32)}"`));
      } else {
        exchange.respond(withHeader(answer, 'Content-Length', (size) => String(Number(size) + 1)));
      }
    });
    assertStatus(run, 1);
    const line = (/** @type {string} */ what) =>
      new RegExp(`^Stat: integrity error: bucket-[ab]/\\S+-(\\d+): ${what}`, 'gm');
    const isEtag = (/** @type {number} */ index) => index % 40 === 3;
    assert.deepEqual(objectsNamed(run.stderr, line('the ETag differs from the one')), BEFALLEN.filter(isEtag));
    assert.deepEqual(
      objectsNamed(run.stderr, line('the size is 2049 bytes, expected 2048')),
      BEFALLEN.filter((index) => !isEtag(index)),
    );
    assert.deepEqual(
      run.stages.map(({ integrityErrors, operations }) => [integrityErrors, operations]),
      [0, 0, BEFALLEN.length, 0].map((errors) => [errors, OBJECTS - errors]),
    );
  });
});
