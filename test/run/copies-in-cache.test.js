import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportCopies } from '../../lib/run/copies-in-cache.js';
import { Keyspace } from '../../lib/workload/keyspace.js';

/** @import { Session } from '../../lib/run/session.js' */

/**
 * @param {object} choice
 * @param {string} [choice.client]
 * @param {boolean} [choice.keep]
 * @param {number} [choice.objects]
 * @param {(key: string) => boolean} choice.isServed
 */
async function notices({ client = 'public', keep = false, objects = 100, isServed }) {
  /** @type {string[]} */
  const shown = [];
  const asked = new Set();
  const connection = {
    startedAt: 0,
    /**
     * @param {unknown} _call
     * @param {{ key: string }} request
     */
    async send(_call, { key }) {
      asked.add(key);
      if (!isServed(key)) {
        const { AttemptError } = await import('../../lib/s3/s3-error.js');
        throw new AttemptError({ kind: 'not-found', handling: 'fail', message: 'HTTP 404', status: 404 });
      }
    },
  };
  const layout = { runId: 'run', prefix: 'benchmark', buckets: ['bucket-a'] };
  const region = { correct() {} };
  await reportCopies(
    /** @type {Session} */ (
      /** @type {unknown} */ ({
        config: {
          store: { publicUrl: { hostname: 'cdn.test', port: 443, useTls: true, basePath: '', bucketInPath: false } },
          objects: { count: objects, keep, shard: { index: 0, count: 1 } },
          load: { client, stages: ['write', 'read', 'remove'] },
        },
        run: {
          ...{ keyspace: new Keyspace(layout), controlConnections: [connection], wroteObjects: true },
          ...{
            clock: { now: () => performance.now() },
            random: Math.random,
            controlOptions: { region },
            requests: { cleanup: 0 },
          },
        },
        result: { stages: [{}, {}, {}] },
        observer: { notice: (/** @type {string} */ text) => shown.push(text) },
      })
    ),
  );
  return { shown, asked: asked.size };
}

test('copies that a cache serves after clean-up are reported, of some objects', async () => {
  assert.deepEqual(await notices({ isServed: () => true }), {
    shown: [
      'The cache of https://cdn.test still serves 20 of 20 removed objects in a sample: copies stay in the cache until they expire or are purged',
    ],
    asked: 20,
  });
  assert.deepEqual((await notices({ objects: 3, isServed: () => true })).asked, 3);
});

test('nothing is reported if no copy is there, and nothing asked if there can be none', async () => {
  assert.deepEqual(await notices({ isServed: () => false }), { shown: [], asked: 20 });
  assert.deepEqual(await notices({ client: 'direct', isServed: () => true }), { shown: [], asked: 0 });
  assert.deepEqual(await notices({ keep: true, isServed: () => true }), { shown: [], asked: 0 });
});
