import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../../lib/run/run.js';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, withoutPhases } from '../helpers/outcome.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Exchange, Treatment } from '../helpers/fault-proxy.js'
 */

// Stores and proxies that speak S3 in their own way.

const RUN = ['50', '5', '--size', '1KiB', '--run-id', 'r'];

/**
 * Runs the program against the embedded endpoint behind a proxy.
 *
 * @param {TestContext} t
 * @param {readonly string[]} options
 * @param {Treatment} treat
 */
async function runBehind(t, options, treat) {
  const endpoint = await startTestEndpoint(t);
  const proxy = await startFaultProxy(t, endpoint, treat);
  const dotEnv = dotEnvOf({ ...endpoint, port: proxy.port });
  const outcome = await runCommand(t, [...RUN, ...options], { dotEnv });
  return { outcome, endpoint, proxy, dotEnv };
}

/**
 * @param {(headers: Map<string, string>) => void} change of each response
 * @param {readonly string[]} [methods] whose responses are changed
 * @returns {Treatment}
 */
function changingHeaders(change, methods = ['PUT', 'GET', 'HEAD']) {
  return async (exchange) => {
    const answer = await exchange.forward();
    const pairs = answer.headers.flatMap((name, index) =>
      index % 2 === 0 ? [/** @type {[string, string]} */ ([name.toLowerCase(), answer.headers[index + 1]])] : [],
    );
    const headers = new Map(pairs);
    if (methods.includes(exchange.operation)) {
      change(headers);
    }
    exchange.respond({ ...answer, headers: [...headers].flat() });
  };
}

describe('headers that differ', { concurrency: 3 }, () => {
  const etag = (/** @type {(etag: string) => string} */ change) => (/** @type {Map<string, string>} */ headers) =>
    void headers.set('etag', change(headers.get('etag') ?? ''));
  const noEtag = (/** @type {Map<string, string>} */ headers) => void headers.delete('etag');
  const noLength = (/** @type {Map<string, string>} */ headers) => void headers.delete('content-length');
  const vary = /^The ETag of an object differs from the one returned for its write, so Stat checks only sizes$/;

  const harmless = [noEtag, etag(() => ''), etag((text) => `W/${text}`)];
  let turn = 0;

  for (const [what, treat, notice] of /** @type {[string, Treatment, RegExp | null][]} */ ([
    ['no ETag for writes', changingHeaders(noEtag, ['PUT']), /^The store returns no ETag for a write, so/],
    [
      'no ETag, empty ETags and weak ETags by turns',
      changingHeaders((headers) => harmless[turn++ % harmless.length](headers), ['GET', 'HEAD']),
      null,
    ],
    [
      'other ETags',
      changingHeaders(
        etag((text) => `"${text.length}-1"`),
        ['HEAD'],
      ),
      vary,
    ],
    ['HEAD without a length', changingHeaders(noLength, ['HEAD']), /^The response to HEAD does not state the size, so/],
  ])) {
    test(`${what} cause no integrity errors, and at most one notice`, async (t) => {
      const { outcome } = await runBehind(t, [], treat);
      assertStatus(outcome, 0);
      const lines = outcome.stderr.split('\n').filter((line) => /ETag|state the size/.test(line));
      assert.equal(lines.length, notice === null ? 0 : 1, outcome.stderr);
      assert.match(lines.join(''), notice ?? /^$/);
    });
  }

  test('objects in parts whose ETag is not that of their completion are checked by their sizes, with one notice', async (t) => {
    const parts = ['--size', '6MiB', '--multipart', '--part-size', '5MiB', '--stages', 'write,stat,remove'];
    const { outcome } = await runBehind(
      t,
      parts,
      changingHeaders(
        etag((text) => text.replace('-', '')),
        ['HEAD'],
      ),
    );
    assertStatus(outcome, 0);
    assert.match(outcome.stderr, new RegExp(vary.source, 'm'));
  });
});

test('a later turn of a comparison still knows that a store changes its ETags', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const treat = changingHeaders((headers) => void headers.set('etag', `"${'0'.repeat(32)}"`), ['HEAD']);
  const { port } = await startFaultProxy(t, endpoint, treat);
  const [hostname, credentials] = [endpoint.hostname, endpoint.credentials];
  const store = { endpoint: `http://${hostname}:${port}`, bucket: endpoint.buckets[0], credentials };
  const options = { store, objects: 20, threads: 2, stages: 'write,stat,remove' };
  const first = await run(options, { turn: { earlier: null } });
  const second = await run(options, { turn: { earlier: first } });
  assert.deepEqual([first.problems, second.problems], [[], []]);
  assert.deepEqual(
    second.stages.map(({ integrityErrors }) => integrityErrors),
    [0, 0, 0],
  );
});

describe('writes that were not stored', { concurrency: 3 }, () => {
  const respond = (/** @type {string} */ text) => (/** @type {Exchange} */ exchange) => {
    const body = Buffer.from(text);
    exchange.respond({ status: 200, headers: ['Content-Length', String(body.length)], body });
  };
  const bodies = [
    '<?xml version="1.0"?>\n<Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Code>InternalError</Code></Error>',
    '<s3:Error xmlns:s3="x"><s3:Code>InternalError</s3:Code></s3:Error>',
    '{"error":"internal"}',
    '<html><body>Bad gateway</body></html>',
    'Service unavailable',
  ];

  for (const client of ['direct', 'sdk']) {
    test(`Row 51: a 200 with a body fails each write of the ${client} client, and shows its words`, async (t) => {
      let next = 0;
      const { outcome, endpoint } = await runBehind(t, ['--client', client, '--retries', '0'], (exchange) =>
        exchange.operation === 'PUT' && exchange.index >= 0
          ? respond(bodies[next++ % bodies.length])(exchange)
          : exchange.pass(),
      );
      assertStatus(outcome, 1);
      for (const words of [/with an error in its body: InternalError/, /: internal/, /Bad gateway/]) {
        assert.match(outcome.stdout + outcome.stderr, words);
      }
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }
});

describe('before the first write', { concurrency: 3 }, () => {
  test('Row 52: a bucket with a default retention is refused, even with --allow-versioned', async (t) => {
    const rule = '<Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule>';
    const { outcome, proxy } = await runBehind(t, ['--allow-versioned'], (exchange) => {
      if ('versioning' in exchange.query) {
        exchange.respondDocument('<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>');
      } else if ('object-lock' in exchange.query) {
        exchange.respondDocument(`<ObjectLockConfiguration>${rule}</ObjectLockConfiguration>`);
      } else {
        void exchange.pass();
      }
    });
    assertStatus(outcome, 2);
    assert.match(withoutPhases(outcome.stderr), /bucket "bucket-a" locks new objects .*GOVERNANCE, 1 days/);
    assert.equal(proxy.requests.PUT, undefined);
  });

  test('a store without DeleteObjects is refused with the stage to use instead', async (t) => {
    const { outcome } = await runBehind(t, ['--stages', 'write,batch-remove'], (exchange) =>
      exchange.operation === 'POST' ? exchange.refuse(501, 'NotImplemented') : exchange.pass(),
    );
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: batch-remove in .* failed \(HTTP 501 .*\): .* use the stage remove$/m);
  });

  for (const client of ['direct', 'sdk']) {
    test(`Row 51: a server that answers everything with a page is refused by the ${client} client`, async (t) => {
      const body = Buffer.from('<!doctype html><html><body>welcome</body></html>');
      const headers = ['Content-Type', 'text/html', 'Content-Length', String(body.length)];
      const { outcome, proxy } = await runBehind(t, ['--client', client], (exchange) =>
        exchange.respond({ status: 200, headers, body }),
      );
      assertStatus(outcome, 2);
      assert.match(
        outcome.stderr,
        /^error: 127\.0\.0\.1:\d+ is no S3 store: it has an object that cannot exist: check S3_HOSTNAME$/m,
      );
      assert.equal(outcome.stdout, '');
      assert.equal(proxy.requests.PUT, undefined);
    });
  }

  test('a run without objects cannot be read: one line reports it', async (t) => {
    const { outcome } = await runBehind(t, ['--stages', 'read,stat'], (exchange) => exchange.pass());
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: run r has no objects under benchmark\/r\/ in bucket-a, bucket-b: check/m);
    assert.equal(outcome.stdout, '');
  });
});
