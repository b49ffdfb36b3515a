import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { preflight } from '../../lib/run/preflight.js';
import { classifyAnswer, classifyFailure } from '../../lib/s3/s3-error.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @typedef {import('../helpers/fake-store.js').FakeRequest} FakeRequest */

const { store } = runConfig(NO_TARGET);

/**
 * @param {number} status
 * @param {string} code
 */
function answer(status, code) {
  return classifyAnswer({ status, code, message: 'Told so.', now: 0 });
}

function refused() {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  return classifyFailure(error, { sent: false, answered: false, stale: false });
}

/**
 * @param {(request: FakeRequest, attempt: number) => unknown} behave
 * @param {AbortSignal} [signal]
 */
async function ask(behave, signal = new AbortController().signal) {
  /** @type {FakeRequest[]} */
  const requests = [];
  const { clock, random, connections, workload } = fakeEngine({
    answer: (request) => {
      requests.push(request);
      return behave(request, requests.length);
    },
  });
  const { keyspace } = workload;
  const counts = { preflight: 0, clock: 0, cleanup: 0 };
  const run = /** @type {any} */ ({ clock, random, keyspace, attendants: connections, requests: counts });
  const problems = await preflight(run, store, signal);
  assert.equal(counts.preflight, requests.length, 'every request is counted');
  return { problems, requests, keyspace };
}

test('a store that does not have the object that nobody wrote is in order', async () => {
  const { problems, requests, keyspace } = await ask(() => {
    throw answer(404, 'NoSuchKey');
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    requests.map(({ method, bucket }) => [method, bucket]),
    [
      ['get', 'one'],
      ['get', 'two'],
    ],
  );
  for (const { bucket, key } of requests) {
    assert.ok(key.startsWith(keyspace.keyPrefix));
    assert.equal(keyspace.indexOf(bucket, key), -1);
  }
});

test('a store that has it all the same is in order', async () => {
  assert.deepEqual((await ask(() => {})).problems, []);
});

test('wrong credentials are told once for all buckets, and asked about once each', async () => {
  const { problems, requests } = await ask(() => {
    throw answer(403, 'SignatureDoesNotMatch');
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /S3_SECRET_KEY/);
  assert.match(problems[0], /"one", "two"/);
  assert.ok(!problems[0].includes('the-secret-key'));
  assert.equal(requests.length, 2);
});

test('of several buckets the one that is missing is named', async () => {
  const { problems } = await ask(({ bucket }) => {
    throw bucket === 'one' ? answer(404, 'NoSuchKey') : answer(404, 'NoSuchBucket');
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /no bucket "two"/);
});

test('different problems have a line each', async () => {
  const { problems } = await ask(({ bucket }) => {
    throw bucket === 'one' ? answer(403, 'AccessDenied') : answer(404, 'NoSuchBucket');
  });
  assert.equal(problems.length, 2);
});

test('a hiccup is got over', async () => {
  const { problems } = await ask((_request, attempt) => {
    throw attempt < 4 ? refused() : answer(404, 'NoSuchKey');
  });
  assert.deepEqual(problems, []);
});

test('a store that is not there is soon given up', async () => {
  const { problems, requests } = await ask(() => {
    throw refused();
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /no connection to store\.test:443/);
  assert.ok(requests.length <= 8, `${requests.length} attempts`);
});

test('a stop while the store is asked is no problem of the store’s', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  for (const behave of [() => new Promise(() => {}), () => Promise.reject(refused())]) {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    assert.deepEqual((await ask(behave, controller.signal)).problems, []);
  }
});

test('an error that nobody expected is thrown', async () => {
  const error = new TypeError('a mistake of ours');
  await assert.rejects(
    ask(() => {
      throw error;
    }),
    error,
  );
});
