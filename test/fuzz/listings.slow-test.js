import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BucketAdmin } from '../../lib/store/bucket-admin.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { runInProcess } from '../helpers/command.js';
import { openTestStore } from '../helpers/store.js';
import { assertCivil, UNPRINTABLE } from './civil.js';
import { answerOf, environmentOf, startHostileStore, targetOf } from './hostile-store.js';

/** @import { TestContext } from 'node:test' */

const TIME_LIMIT = { timeout: 300_000 };
const TIMEOUT_MS = 100;

/** @param {string} inner */
function list(inner) {
  return `<?xml version="1.0"?><ListBucketResult><Name>bucket-a</Name>${inner}</ListBucketResult>`;
}

/** @param {string} key */
function entry(key) {
  return `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-31T00:00:00.000Z</LastModified></Contents>`;
}

const MORE = '<IsTruncated>true</IsTruncated>';

/** Lists that a clean-up must neither follow forever nor silently take for an empty bucket. */
const LISTS = {
  'that never goes on': list(`${MORE}${entry('benchmark/a-run/0-notes')}`),
  'of keys that were not asked for': list(`${MORE}${entry('a')}${entry('zzz')}`),
  'of objects without a key': list(`${MORE}<Contents><Size>1</Size></Contents>`),
  'of sizes that are none': list(`${MORE}<Contents><Key>benchmark/a-run/x</Key><Size>many</Size></Contents>`),
  'of dates that are none': list(
    `${MORE}<Contents><Key>benchmark/a-run/x</Key><LastModified>soon</LastModified></Contents>`,
  ),
  'that is cut': list(entry('benchmark/a-run/x')).slice(0, 120),
  'that is nested': list('<Contents>'.repeat(5000)),
  'that is a page': '<html><body>Welcome</body></html>',
  'of nothing': '',
};

const PIECES = [
  ...[
    '<ListBucketResult>',
    '</ListBucketResult>',
    '<Contents>',
    '</Contents>',
    '<Key>',
    '</Key>',
    '<Key/>',
    'benchmark/a-run/x',
  ],
  ...[
    '<IsTruncated>',
    'true',
    '</IsTruncated>',
    '<Size>',
    '-1',
    '</Size>',
    '<LastModified>',
    '</LastModified>',
    '&#x1b;',
    '<',
    '&',
  ],
];
const body = fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join(''));

/** @param {TestContext} t */
async function openHostile(t) {
  const store = await startHostileStore(t);
  const { options } = await openTestStore(t, 'direct', targetOf(store));
  const admin = new BucketAdmin(options, TIMEOUT_MS);
  t.after(() => admin.close());
  const requests = [
    () => admin.listPage('bucket-a', 'benchmark/', { after: 'benchmark/a', input: {} }),
    () => admin.deleteBatch('bucket-a', ['benchmark/a', 'benchmark/b']),
  ];
  return { store, requests };
}

/** @param {readonly (() => Promise<unknown>)[]} requests that must settle */
async function assertSettle(requests) {
  for (const request of requests) {
    await request().catch((error) => {
      assert.ok(error instanceof AttemptError, error?.stack);
      assert.doesNotMatch(error.message, UNPRINTABLE);
    });
  }
}

test('lists of any text are read, or refused', TIME_LIMIT, async (t) => {
  const { store, requests } = await openHostile(t);
  await fc.assert(
    fc.asyncProperty(body, async (content) => {
      store.answer = answerOf(200, content);
      await assertSettle(requests);
    }),
    { numRuns: 200 },
  );
});

describe('a clean-up ends with readable lines', { concurrency: 4 }, () => {
  for (const [what, content] of Object.entries(LISTS)) {
    test(`if the store answers with a list ${what}`, TIME_LIMIT, async (t) => {
      const [page, missing] = [answerOf(200, content), answerOf(404, '')];
      const store = await startHostileStore(t, (socket, request = '') =>
        (/^\S+ [^?\s]+ /.test(request) ? missing : page)(socket, request),
      );
      const outcome = await runInProcess(['cleanup', 'a-run'], environmentOf(store));
      assertCivil(outcome);
      assert.equal(outcome.status, 1, 'the number of remaining objects is unknown');
    });
  }
});
