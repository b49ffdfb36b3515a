import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 * @import { Treatment } from '../helpers/fault-proxy.js'
 *
 * @typedef {Readonly<Record<string, string>>} Query
 */

// Stores that lack parts of the API.

const SIZE = 1024;
/** Longest page of listing(). */
const PAGE = 50;
/** More than two pages. */
const LOAD = ['120', '20'];

/** Keys next to those of the run, which clean-up must leave alone. */
const FOREIGN = ['0', '9z', 'g', 'z'].map((name) => `benchmark/r/${name}`);

const token = (/** @type {Query} */ query) => query['continuation-token'];
const nextToken = (/** @type {string} */ key) => `<NextContinuationToken>${key}</NextContinuationToken>`;
const tokenOrStart = (/** @type {Query} */ query) => token(query) ?? query['start-after'];

/**
 * Responds to lists of objects of one size like another store.
 *
 * @param {TestEndpoint} endpoint
 * @param {object} dialect
 * @param {(query: Query) => string | undefined} [dialect.startOf]
 * @param {(last: string) => string} [dialect.next] where the next page starts, as an element
 * @param {(isTrue: boolean) => string} [dialect.truth] how it spells false and true
 * @param {(name: string) => string} [dialect.named] how it spells the name of an element
 * @param {(key: string) => string} [dialect.shown] how the document spells a key
 * @returns {Treatment}
 */
function listing(endpoint, { startOf = token, next = nextToken, named = String, shown = String, truth = String }) {
  const element = (/** @type {string} */ name, /** @type {string | number} */ content) =>
    `<${named(name)}>${content}</${named(name)}>`;
  return async (exchange) => {
    if (exchange.operation !== 'LIST') {
      await exchange.pass();
      return;
    }
    const { prefix = '', 'max-keys': maximum = '1000' } = exchange.query;
    const start = startOf(exchange.query) ?? '';
    const keys = (await endpoint.list(exchange.bucket)).filter((key) => key.startsWith(prefix) && key > start);
    const page = keys.slice(0, Math.min(Number(maximum), PAGE));
    const isTruncated = keys.length > page.length;
    const content = [
      element('Name', exchange.bucket),
      element('IsTruncated', truth(isTruncated)),
      isTruncated ? next(String(page.at(-1))) : '',
      ...page.map((key) => element('Contents', element('Key', shown(key)) + element('Size', SIZE))),
    ].join('');
    exchange.respondDocument(element('ListBucketResult', content));
  };
}

/** @type {[what: string, (endpoint: TestEndpoint) => Treatment][]} */
const STORES = [
  ['that ignores start-after', (endpoint) => listing(endpoint, {})],
  [
    'with version 1 of lists only',
    (endpoint) =>
      listing(endpoint, { startOf: ({ marker }) => marker, next: (key) => `<NextMarker>${key}</NextMarker>` }),
  ],
  [
    'without DeleteObjects',
    () => (exchange) => (exchange.operation === 'POST' ? exchange.refuse(501, 'NotImplemented') : exchange.pass()),
  ],
];

const ENCODED = { shown: (/** @type {string} */ key) => key.replaceAll('/', '%2F') };

/** @type {[what: string, client: string, dialect: Parameters<typeof listing>[1], isRead: boolean][]} */
const SPELLINGS = [
  ['prefixed elements', 'sdk', { named: (name) => `s3:${name}` }, false],
  ['True and False', 'sdk', { truth: (isTrue) => (isTrue ? 'True' : 'False') }, true],
  ['encoded keys that are not declared', 'direct', ENCODED, true],
  ['encoded keys that are not declared', 'sdk', ENCODED, true],
];

describe('stores without parts of the API', { concurrency: 2 }, () => {
  for (const [what, treatmentFor] of STORES) {
    test(`Row 50: on a store ${what}, objects are listed, read and removed, and no others`, async (t) => {
      const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
      const proxy = await startFaultProxy(t, endpoint, treatmentFor(endpoint));
      const dotEnv = dotEnvOf({ ...endpoint, port: proxy.port });
      const run = async (/** @type {string[]} */ ...parameters) => {
        const outcome = await runCommand(t, parameters, { dotEnv });
        assertStatus(outcome, 0);
        return outcome.stdout + outcome.stderr;
      };
      await Promise.all(FOREIGN.map((key) => endpoint.put('bucket-a', key, Buffer.alloc(SIZE))));
      const kept = [...LOAD, '--size', String(SIZE), '--stages', 'write', '--run-id', 'r', '--keep'];
      assertStatus(await runCommand(t, kept, { dotEnv: dotEnvOf(endpoint) }), 0);
      assert.match(await run('cleanup', 'list'), /^r +120 /m);
      const read = await run(...LOAD, '--existing', 'benchmark/r/', '--stages', 'stat');
      assert.match(read, /^Listed "benchmark\/r\/" in bucket-a: 120 objects$/m);
      assert.match(await run('cleanup', 'r'), /120 objects removed .*, 0 left, kept 4 not written by this run/);
      assert.deepEqual((await keysIn(endpoint)).toSorted(), FOREIGN.toSorted());
    });
  }

  for (const [what, treatmentFor] of STORES.slice(0, 2)) {
    test(`Row 50: on a store ${what}, the list stage is refused in one line`, async (t) => {
      const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
      const proxy = await startFaultProxy(t, endpoint, treatmentFor(endpoint));
      const dotEnv = dotEnvOf({ ...endpoint, port: proxy.port });
      await Promise.all(['a', 'b', 'c'].map((key) => endpoint.put('bucket-a', key, Buffer.alloc(SIZE))));
      for (const work of [
        ['--stages', 'write,list'],
        ['--stages', 'list', '--existing', '*'],
      ]) {
        const outcome = await runCommand(t, [...LOAD, ...work], { dotEnv });
        assertStatus(outcome, 2);
        assert.match(
          outcome.stderr,
          /^error: list in bucket "bucket-a" .* failed \(the page begins before start-after, which the store ignores\): the stage list needs ListObjectsV2 with start-after$/m,
        );
        assert.equal(outcome.stdout, '');
      }
      assert.deepEqual(await keysIn(endpoint), ['a', 'b', 'c']);
    });
  }

  for (const [what, client, dialect, isRead] of SPELLINGS) {
    test(`Row 50: lists with ${what} are ${isRead ? 'read' : 'refused in one line'} with the ${client} client`, async (t) => {
      const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
      const proxy = await startFaultProxy(t, endpoint, listing(endpoint, { startOf: tokenOrStart, ...dialect }));
      const dotEnv = dotEnvOf({ ...endpoint, port: proxy.port });
      const run = ['100', '10', '--size', String(SIZE), '--stages', 'write,list', '--page-size', '20'];
      const outcome = await runCommand(t, [...run, '--client', client], { dotEnv });
      assertStatus(outcome, isRead ? 0 : 2);
      const refusal = /^error: list in bucket "bucket-a" .* failed \(the response is not a list of objects\)/m;
      assert.equal(refusal.test(outcome.stderr), !isRead, outcome.stderr);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 50: on a store that continues lists without a token, a walk continues after the last key', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const dialect = { startOf: tokenOrStart, next: () => '' };
    const proxy = await startFaultProxy(t, endpoint, listing(endpoint, dialect));
    const dotEnv = dotEnvOf({ ...endpoint, port: proxy.port });
    const stages = ['--stages', 'write,list,remove', '--page-size', '20', '--list-walk'];
    const walk = ['100', '2', '--size', String(SIZE), ...stages];
    assertStatus(await runCommand(t, walk, { dotEnv }), 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 57: if the lists after a run fail, it reports what it could not compare, and is incomplete', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    let hasWritten = false;
    const proxy = await startFaultProxy(t, endpoint, (exchange) => {
      hasWritten ||= exchange.operation === 'PUT';
      return hasWritten && exchange.operation === 'LIST' ? exchange.refuse(400, 'InvalidRequest') : exchange.pass();
    });
    const keep = ['20', '2', '--stages', 'write', '--keep', '--no-preflight'];
    const outcome = await runCommand(t, keep, { dotEnv: dotEnvOf({ ...endpoint, port: proxy.port }) });
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /whether all objects were kept is unknown, because listing failed: HTTP 400/);
  });

  test('Row 40: a store that no longer answers is not asked for every copy before clean-up', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    let [reads, hasWritten] = [0, false];
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      hasWritten ||= exchange.operation === 'PUT';
      reads += Number(hasWritten && exchange.operation === 'GET');
      if (!hasWritten || exchange.operation !== 'GET') {
        await exchange.pass();
      }
    });
    const copy = ['40', '4', '--stages', 'write,copy,remove', '--no-preflight', '--timeout', '300ms'];
    const outcome = await runCommand(t, copy, { dotEnv: dotEnvOf({ ...endpoint, port: proxy.port }) });
    assert.ok(reads > 0 && reads <= 4 * 4, `${reads} reads`);
    assert.deepEqual(await keysIn(endpoint), [], outcome.stderr);
  });
});
