import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AttemptError } from '../../lib/s3/s3-error.js';
import { runInProcess } from '../helpers/command.js';
import { attempt, openTestStore, get, head, put, remove } from '../helpers/store.js';
import { assertCivil, UNPRINTABLE } from './civil.js';
import { STRANGE_ANSWERS, UNUSABLE_ANSWERS, UNUSABLE_BODIES } from './garbage-answers.js';
import { environmentOf, startHostileStore, targetOf } from './hostile-store.js';

/**
 * @import { ObjectConnection } from '../../lib/s3/object-store.js'
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

const STATUS_LINES = [
  ...[
    'HTTP/1.1 200 OK',
    'HTTP/1.1 403 No',
    'HTTP/1.1 404',
    'HTTP/1.1 503 \u001b[2J',
    'HTTP/1.0 200 OK',
    'HTTP/1.1 204 No',
  ],
  ...[
    'HTTP/1.1 100 Go on',
    'HTTP/1.1 103 Hints',
    'HTTP/1.1 206 Part',
    'HTTP/1.1 304 Same',
    'HTTP/1.1 429',
    'HTTP/1.1 999 X',
  ],
  ...['HTTP/1.1 099 X', 'HTTP/1.1 -1 X', 'http/1.1 200 ok', 'HTTP/2 200', 'ICY 200 OK', ''],
];
const HEADERS = [
  ...['Content-Length: 5', 'Content-Length: 0', 'Content-Length: -5', 'Content-Length: 1e3', 'Content-Length: 0x5'],
  ...['Content-Length: 18446744073709551616', 'content-length:5', 'Content-Length: 5, 5', 'Transfer-Encoding: chunked'],
  ...['Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: x', 'Connection: close', 'Connection: keep-alive'],
  ...[
    'Keep-Alive: timeout=-1',
    'Keep-Alive: timeout=1e99, max=0',
    'Connection: upgrade',
    'Upgrade: websocket',
    'ETag: "0"',
  ],
  ...[
    'ETag: ',
    'Retry-After: 0',
    'Retry-After: soon',
    'Date: never',
    'Location: //x',
    'Trailer: X',
    'Content-Encoding: gzip',
  ],
  ...['Content-Type: application/xml', ' folded', ': no name', 'no colon', 'X:\0', 'X\u00e9: y', 'Last-Modified: x'],
];
const BODIES = [
  ...[
    'hello',
    '5\r\nhello\r\n',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
    '5;x=y\r\nhello\r\n',
    '-1\r\n',
    '\r\n',
    '\0\u001b[2J',
  ],
  ...[
    '<Error><Code>SlowDown</Code>',
    '<Error><Code>AccessDenied</Code><Message>&#0;</Message></Error>',
    '<?xml version="1.0"?>',
  ],
  ...['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '\x1f\x8b\x08'],
];

const bytes = fc.uint8Array({ maxLength: 20 }).map((content) => Buffer.from(content).toString('latin1'));
const answer = fc
  .record({
    statusLine: fc.constantFrom(...STATUS_LINES),
    headers: fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...HEADERS) }, bytes), { maxLength: 5 }),
    lineEnd: fc.oneof({ weight: 9, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r', '')),
    body: fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...BODIES) }, bytes), { maxLength: 3 }),
    cut: fc.option(fc.nat(200)),
  })
  .map(({ statusLine, headers, lineEnd, body, cut }) =>
    Buffer.from([statusLine, ...headers, '', body.join('')].join(lineEnd), 'latin1').subarray(0, cut ?? undefined),
  );

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
        fc.asyncProperty(method, answer, async (name, content) => {
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
  for (const client of CLIENTS) {
    test(`${client}: a store that answers only garbage ends the run with readable lines`, TIME_LIMIT, async (t) => {
      const all = Object.entries({ ...UNUSABLE_ANSWERS, ...UNUSABLE_BODIES, ...STRANGE_ANSWERS });
      await severalAtOnce(all, async ([what, garbage]) => {
        const outcome = await runAgainst(await startHostileStore(t, garbage), client);
        assertCivil(outcome);
        assert.notEqual(outcome.status, 0, what);
      });
    });

    test(`${client}: the program ends with readable lines for any answer of the store`, TIME_LIMIT, async (t) => {
      const several = fc.array(answer, { minLength: AT_ONCE, maxLength: AT_ONCE, size: 'max' });
      await fc.assert(
        fc.asyncProperty(several, async (contents) => {
          await severalAtOnce(contents, async (content) => {
            const hostile = await startHostileStore(t, (socket) => socket.end(content));
            assertCivil(await runAgainst(hostile, client));
          });
        }),
        { numRuns: 3, endOnFailure: true },
      );
    });
  }
});

/**
 * @param {HostileStore} hostile
 * @param {'direct' | 'sdk'} client
 */
function runAgainst(hostile, client) {
  const parameters = ['3', '2', '--size', '1KiB', '--timeout', `${TIMEOUT_MS}ms`, '--retries', '1', '--client', client];
  return runInProcess(parameters, environmentOf(hostile));
}
