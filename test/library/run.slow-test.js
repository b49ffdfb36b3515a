import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { RunError, UsageError, assertThresholds, compare, merge, run, writeReport } from '../../lib/index.js';
import { chance } from '../helpers/chance.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { GivenStore } from '../../lib/result/config.js'
 * @import { TestEndpoint } from '../helpers/local-s3.js'
 */

const INDEX = new URL('../../lib/index.js', import.meta.url).href;

/**
 * @param {TestEndpoint} endpoint
 * @returns {GivenStore}
 */
function storeAt({ hostname, port, credentials, buckets }) {
  return { endpoint: `http://${hostname}:${port}`, bucket: buckets, credentials };
}

/** @param {TestEndpoint} endpoint */
async function keysAt({ buckets, list }) {
  return (await Promise.all(buckets.map(list))).flat();
}

/** Resources that a run must not leave open; the test endpoint's connections end slightly later. */
function openResources() {
  return process.getActiveResourcesInfo().filter((name) => /Timeout|Process|MessagePort|Worker|FSReq/.test(name))
    .length;
}

describe('a run called from a program', () => {
  test('has the result that the command line writes, and reports its events', async () => {
    const seconds = /** @type {number[]} */ ([]);
    const stages = /** @type {string[]} */ ([]);
    const result = await run(
      { store: 'local', objects: 300, threads: 10, size: '1KiB', stages: ['write', 'read', 'remove'], timeout: 9000 },
      { on: { second: ({ operations }) => seconds.push(operations), stage: ({ stage }) => stages.push(stage) } },
    );
    assert.deepEqual(stages, ['Write', 'Read', 'Remove']);
    assert.equal(
      seconds.reduce((sum, count) => sum + count),
      900,
    );
    assert.deepEqual(
      result.stages.map(({ operations, end, clientLoad }) => [operations, end, clientLoad?.shared]),
      stages.map(() => [300, 'complete', true]),
    );
    assert.deepEqual([result.options?.size, result.options?.timeout, result.problems], [1024, 9000, []]);
    assert.match(await writeReport(result), /^<!doctype html>/i);
    assert.equal(assertThresholds(result, 'errors == 0')[0].outcome, 'passed');
    assert.equal((await compare(result, result)).stages.length, 3);
    assert.equal((await merge([result])).stages[0].operations, 300);
  });

  test('can overlap with another one, with separate counts, no output, and a clean process exit', async () => {
    const program = `
      import { run } from ${JSON.stringify(INDEX)};
      const results = await Promise.all([300, 500].map((objects) => run({ store: 'local', objects, threads: 8 })));
      console.log(JSON.stringify(results.map(({ stages }) => stages.map(({ operations, clientLoad }) => [operations, clientLoad.shared]))));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // The SDK warns about versions of Node that it will drop.
      env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    });
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    const [status] = await once(child, 'close');
    assert.deepEqual([status, errors], [0, '']);
    const expected = [300, 500].map((objects) => Array.from({ length: 4 }, () => [objects, true]));
    assert.deepEqual(JSON.parse(text), expected);
  });

  test('uses a store and credentials that the program provides', async (t) => {
    const endpoint = await startTestEndpoint(t);
    let calls = 0;
    const { credentials, ...store } = storeAt(endpoint);
    const provide = async () => {
      calls += 1;
      return /** @type {any} */ (credentials);
    };
    const result = await run({ store: { ...store, credentials: provide }, objects: 50, threads: 5 });
    assert.deepEqual(
      result.stages.map(({ operations }) => operations),
      [50, 50, 50, 50],
    );
    assert.equal(calls, 1);
  });

  test('is refused with all problems of its options, by their names in code', async () => {
    const options = /** @type {any} */ ({
      ...{ store: { endpoint: 'no where', bucket: 'B', credentials: {}, regoin: 'eu' }, objects: 0, threads: 2 },
      ...{ rangeSise: 1, keepAlive: 'no', json: 'out.json' },
    });
    const error = await run(options).catch((failure) => failure);
    assert.ok(error instanceof UsageError);
    assert.deepEqual(
      error.problems.map((problem) => problem.split(':')[0]),
      ['unknown run option rangeSise; did you mean rangeSize?', 'keepAlive', 'unknown run option json', 'objects'],
    );
    const ofStore = await run({
      ...options,
      objects: 1,
      rangeSise: undefined,
      keepAlive: false,
      json: undefined,
    }).catch((failure) => failure);
    assert.deepEqual(
      ofStore.problems.map((/** @type {string} */ problem) => problem.split(':')[0]),
      ['store.regoin', 'store.endpoint', 'store.bucket', 'store.credentials'],
    );
  });

  test('rejects with the problem and its result if the store refuses it', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const store = { ...storeAt(endpoint), credentials: { accessKeyId: 'wrong', secretAccessKey: 'wrong-secret' } };
    const error = await run({ store, objects: 5, threads: 1 }).catch((failure) => failure);
    assert.ok(error instanceof RunError, String(error));
    assert.match(error.message, /store\.credentials/);
    assert.deepEqual(error.result.stages, []);
    assert.doesNotMatch(error.message, /wrong-secret/);
  });

  for (const [what, fails] of /** @type {[string, () => any][]} */ ([
    [
      'throws',
      () => {
        throw new Error('broken listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken listener'))],
  ])) {
    test(`ends if a listener ${what}, and leaves nothing behind`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const options = { store: storeAt(endpoint), objects: 100_000, threads: 10 };
      const error = await run(options, { on: { second: fails } }).catch((failure) => failure);
      assert.equal(error.cause?.message, 'broken listener');
      assert.deepEqual(await keysAt(endpoint), []);
    });
  }

  test('stops waiting for credentials as soon as the signal aborts, and gives up after a minute', async (t) => {
    const { credentials, ...store } = storeAt(await startTestEndpoint(t));
    const reason = new Error('enough');
    const controller = new AbortController();
    const never = () => {
      setImmediate(() => controller.abort(reason));
      return new Promise(() => {});
    };
    const options = /** @type {any} */ ({ store: { ...store, credentials: never }, objects: 5, threads: 1 });
    await assert.rejects(run(options, { signal: controller.signal }), reason);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const late = () => {
      t.mock.timers.tick(60_000);
      return new Promise(() => {});
    };
    const given = run({ ...options, store: { ...store, credentials: late } });
    await assert.rejects(given, {
      name: 'UsageError',
      message: 'store.credentials: no answer within 60 s: check the source of the credentials',
    });
  });

  test('leaves nothing at the store and no handle, and settles, when aborted at any moment', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { uniform } = chance(31);
    await run({ store: storeAt(endpoint), objects: 20, threads: 2 });
    const before = openResources();
    for (let moment = 0; moment < 8; moment += 1) {
      const controller = new AbortController();
      const { signal } = controller;
      const running = run({ store: storeAt(endpoint), objects: 5000, threads: 20, size: '1KiB' }, { signal });
      await wait(uniform() * 2500);
      controller.abort();
      const result = await running;
      assert.ok(result.stages.every(({ end }, place) => end === 'complete' || place === result.stages.length - 1));
      assert.deepEqual(await keysAt(endpoint), [], `aborted at moment ${moment}`);
    }
    assert.ok(openResources() <= before, `${openResources()} open, ${before} before`);
  });
});
