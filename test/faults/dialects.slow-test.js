import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, withoutPhases } from '../helpers/outcome.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { Treatment } from '../helpers/fault-proxy.js'
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

describe('before the first write', { concurrency: 3 }, () => {
  const retention = (/** @type {string} */ mode, /** @type {string} */ time) =>
    `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>${mode}${time}</DefaultRetention></Rule></ObjectLockConfiguration>`;

  for (const [document, expected] of [
    [retention('<Mode>GOVERNANCE</Mode>', '<Days>1</Days>'), 'GOVERNANCE, 1 days'],
    [retention('<Mode>COMPLIANCE</Mode>', '<Years>2</Years>'), 'COMPLIANCE, 2 years'],
  ]) {
    test(`a bucket whose default retention is ${expected} is refused, even with --allow-versioned`, async (t) => {
      const { outcome, proxy } = await runBehind(t, ['--allow-versioned'], (exchange) => {
        if ('versioning' in exchange.query) {
          exchange.respondDocument('<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>');
        } else if ('object-lock' in exchange.query) {
          exchange.respondDocument(document);
        } else {
          void exchange.pass();
        }
      });
      assertStatus(outcome, 2);
      assert.match(withoutPhases(outcome.stderr), new RegExp(`bucket "bucket-a" locks new objects .*${expected}`));
      assert.equal(proxy.requests.PUT, undefined);
    });
  }

  test('an empty versioning status means that there are no versions', async (t) => {
    const { outcome } = await runBehind(t, [], (exchange) =>
      'versioning' in exchange.query
        ? exchange.respondDocument('<VersioningConfiguration><Status></Status></VersioningConfiguration>')
        : exchange.pass(),
    );
    assertStatus(outcome, 0);
  });

  test('a run without objects cannot be read: one line says so', async (t) => {
    const { outcome } = await runBehind(t, ['--stages', 'read,stat'], (exchange) => exchange.pass());
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: run r has no objects under benchmark\/r\/ in bucket-a, bucket-b: check/m);
    assert.equal(outcome.stdout, '');
  });
});
