import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AttemptError } from '../../lib/store/s3-error.js';
import { runInProcess } from '../helpers/command.js';
import { anyAnswer } from '../helpers/http-answers.js';
import { attempt, openTestStore, get, head, put, remove } from '../helpers/store.js';
import { assertCivil, UNPRINTABLE } from './civil.js';
import { STRANGE_ANSWERS, UNUSABLE_ANSWERS, UNUSABLE_BODIES } from './garbage-answers.js';
import { environmentOf, startHostileStore, targetOf } from './hostile-store.js';

/**
 * @import { ObjectConnection } from '../../lib/store/object-store.js'
 * @import { HostileStore } from './hostile-store.js'
 * @import { GarbageAnswer } from './garbage-answers.js'
 */

const CLIENTS = /** @type {const} */ (['direct', 'sdk']);
const TIMEOUT_MS = 100;

/** A hanging client must fail its test, not hang the test run. */
const TIME_LIMIT = { timeout: 300_000 };

/** Programs that run at the same time. */
const AT_ONCE = 8;

const NOWHERE = { accept() {} };

/** @type {GarbageAnswer} */
const GOOD = (socket) => socket.write('HTTP/1.1 200 OK\r\nETag: "0"\r\nContent-Length: 0\r\n\r\n');

/**
 * @param {ObjectConnection} connection
 * @returns {Record<'PUT' | 'GET' | 'HEAD' | 'DELETE', () => Promise<AttemptError | null>>} null if the request succeeds
 */
function requestsOf(connection) {
  const settle = async (/** @type {() => Promise<void>} */ request) => {
    try {
      await attempt(connection, request);
      return null;
    } catch (error) {
      assertAttemptError(error);
      return error;
    }
  };
  return {
    PUT: () => settle(() => put(connection, 'bucket-a', 'a-key', Buffer.alloc(100), 100)),
    GET: () => settle(() => get(connection, 'bucket-a', 'a-key', NOWHERE)),
    HEAD: () => settle(() => head(connection, 'bucket-a', 'a-key')),
    DELETE: () => settle(() => remove(connection, 'bucket-a', 'a-key')),
  };
}

/**
 * @param {unknown} error
 * @returns {asserts error is AttemptError}
 */
function assertAttemptError(error) {
  assert.ok(error instanceof AttemptError, /** @type {Error} */ (error)?.stack ?? String(error));
  assert.ok(error.message.length <= 250, error.message);
  assert.doesNotMatch(error.message, UNPRINTABLE);
  assert.doesNotMatch(error.message, /undefined|\[object|null/);
}

/**
 * Garbage must not affect the next request.
 *
 * @param {ObjectConnection} connection
 */
async function assertWorks(connection) {
  const { GET } = requestsOf(connection);
  let failures = 0;
  for (let error = await GET(); error !== null; error = await GET()) {
    // A busy machine may miss this test's short deadline.
    failures += Number(error.kind !== 'timeout');
    assert.ok(failures < 5, `the connection no longer works: ${error.message}`);
  }
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} work
 */
async function severalAtOnce(items, work) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe('one attempt', () => {
  for (const client of CLIENTS) {
    test(`${client}: garbage fails the attempt in time, but not the next one`, TIME_LIMIT, async (t) => {
      const cases = [
        ...Object.entries(UNUSABLE_ANSWERS).flatMap(([what, unusable]) =>
          /** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE']).map((method) => ({ what, unusable, method })),
        ),
        ...Object.entries(UNUSABLE_BODIES).map(([what, unusable]) => ({
          what,
          unusable,
          method: /** @type {const} */ ('GET'),
        })),
      ];
      await severalAtOnce(cases, async ({ what, unusable, method }) => {
        const hostile = await startHostileStore(t, unusable);
        const { connections } = await openTestStore(t, client, targetOf(hostile), { timeout: TIMEOUT_MS });
        const error = await requestsOf(connections[0])[method]();
        assert.equal(
          error?.handling,
          'retry',
          `${method} answered with ${what}: ${error?.message ?? 'taken for an answer'}`,
        );
        hostile.answer = GOOD;
        await assertWorks(connections[0]);
      });
    });

    test(`${client}: an attempt ends with any answer, and the next one works`, TIME_LIMIT, async (t) => {
      const hostile = await startHostileStore(t);
      const { connections } = await openTestStore(t, client, targetOf(hostile), { timeout: TIMEOUT_MS });
      const requests = requestsOf(connections[0]);
      const method = fc.constantFrom(.../** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE']));
      await fc.assert(
        fc.asyncProperty(method, anyAnswer, async (name, content) => {
          hostile.answer = (socket) => socket.end(content);
          await requests[name]();
        }),
        { numRuns: 300 },
      );
      hostile.answer = GOOD;
      await assertWorks(connections[0]);
    });
  }
});

describe('the program', () => {
  test('a store that answers only garbage ends the run with readable lines', TIME_LIMIT, async (t) => {
    const all = Object.entries({ ...UNUSABLE_ANSWERS, ...UNUSABLE_BODIES, ...STRANGE_ANSWERS });
    await severalAtOnce(all, async ([what, garbage]) => {
      const outcome = await runAgainst(await startHostileStore(t, garbage));
      assertCivil(outcome);
      assert.notEqual(outcome.status, 0, what);
    });
  });

  test('the program ends with readable lines for any answer of the store', TIME_LIMIT, async (t) => {
    const several = fc.array(anyAnswer, { minLength: AT_ONCE, maxLength: AT_ONCE, size: 'max' });
    await fc.assert(
      fc.asyncProperty(several, async (contents) => {
        await severalAtOnce(contents, async (content) => {
          const hostile = await startHostileStore(t, (socket) => socket.end(content));
          assertCivil(await runAgainst(hostile));
        });
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });
});

/**
 * @param {HostileStore} hostile
 */
function runAgainst(hostile) {
  const parameters = ['3', '2', '--size', '1KiB', '--timeout', `${TIMEOUT_MS}ms`, '--retries', '1'];
  return runInProcess(parameters, environmentOf(hostile));
}
