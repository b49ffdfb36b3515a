import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { preflight } from '../../lib/run/preflight/preflight.js';
import { classifyAnswer, classifyFailure, timeoutError } from '../../lib/store/s3-error.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { OpenRun } from '../../lib/run/open-run.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { AttemptError } from '../../lib/store/s3-error.js'
 * @import { OwnKey } from '../../lib/load/workload/keyspace.js'
 * @import { FakeRequest } from '../helpers/fake-store.js'
 */

const NEVER = new AbortController().signal;
const ALL = ['put', 'get', 'head', 'batch', 'remove'];

/**
 * @param {number} status
 * @param {string} [code]
 */
function answer(status, code = '') {
  return classifyAnswer({ status, code, message: code === '' ? '' : 'Told so.', now: 0 });
}

function refused() {
  const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  return classifyFailure(error, { sent: false, answered: false, stale: false });
}

/** A store that keeps objects; tests can override its responses. */
class Store {
  /** @type {Set<string>} */
  objects = new Set();
  /** @type {FakeRequest[]} */
  requests = [];
  /** @type {(request: FakeRequest) => void | Promise<void>} */
  before = () => {};

  /** @param {FakeRequest} request */
  async answer(request) {
    this.requests.push(request);
    await this.before(request);
    const { method, bucket, key, input, connection } = request;
    const place = `${bucket}/${key}`;
    if (method === 'batch') {
      const keys = /** @type {{ Key: string }[]} */ (/** @type {any} */ (input).Delete.Objects);
      keys.forEach(({ Key }) => this.objects.delete(`${bucket}/${Key}`));
      connection.reply.output = { Deleted: keys };
    } else if (method === 'put') {
      this.objects.add(place);
    } else if (method === 'remove') {
      this.objects.delete(place);
    } else if (!this.objects.has(place)) {
      throw method === 'get' ? answer(404, 'NoSuchKey') : answer(404);
    }
  }

  /** @param {string} bucket */
  methodsIn(bucket) {
    return this.requests.filter((request) => request.bucket === bucket).map(({ method }) => method);
  }
}

/**
 * @param {Store} store
 * @param {Overrides} [overrides]
 * @param {AbortSignal} [signal]
 */
async function ask(store, overrides, signal = NEVER) {
  const config = runConfig(NO_TARGET, overrides);
  const { clock, random, connections, workload } = fakeEngine({ answer: (request) => store.answer(request) });
  const { keyspace } = workload;
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  /** @type {Set<number>} */
  const probes = new Set();
  const wroteObjects = config.load.stages.includes('write');
  const parts = {
    clock,
    random,
    keyspace,
    payload: workload.payload,
    written: workload.ledger,
    controlConnections: connections,
    controlOptions: { region: 'auto' },
    requests,
    probes,
    wroteObjects,
  };
  const run = /** @type {OpenRun} */ (/** @type {unknown} */ (parts));
  const result = await preflight(run, config, signal);
  assert.equal(requests.preflight, store.requests.length, 'every request is counted');
  return { ...result, probes, keyspace };
}

/**
 * @param {(request: FakeRequest) => void} before
 * @param {Overrides} [overrides]
 */
async function askWith(before, overrides) {
  const store = new Store();
  store.before = before;
  return { store, ...(await ask(store, overrides)) };
}

/**
 * Advances simulated time until a promise settles.
 *
 * @template Value
 * @param {Promise<Value>} awaited
 */
async function patiently(awaited) {
  let isOver = false;
  const over = awaited.finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(1000);
  }
  return over;
}

/**
 * @param {readonly string[]} methods
 * @param {AttemptError} error
 * @returns {(request: FakeRequest) => void}
 */
function failing(methods, error) {
  return ({ method, key }) => {
    if (methods.includes(method) && !key.endsWith('/preflight')) {
      throw error;
    }
  };
}

test('requests an absent object from each bucket, and then tries all operations of the run on one object, which it removes', async () => {
  const store = new Store();
  const { problems, isTransient, notices, probes, keyspace } = await ask(store);
  assert.deepEqual([problems, isTransient, notices, [...probes]], [[], false, [], []]);
  for (const bucket of ['one', 'two']) {
    assert.deepEqual(store.methodsIn(bucket), ['get', ...ALL]);
    const [first, ...others] = store.requests.filter((request) => request.bucket === bucket);
    assert.equal(keyspace.indexOf(bucket, first.key), -1);
    const [key, ...otherKeys] = new Set(others.map((request) => request.key));
    assert.deepEqual([keyspace.recognise(bucket, key)?.isProbe, otherKeys], [true, []]);
  }
  assert.equal(store.objects.size, 0);
});

test('tries only the operations of the stages and of clean-up', async () => {
  for (const [stages, expected] of /** @type {[string[], string[]][]} */ ([
    [['write'], ['get', 'put', 'batch']],
    [
      ['write', 'stat'],
      ['get', 'put', 'head', 'batch'],
    ],
    [
      ['write', 'remove'],
      ['get', 'put', 'batch', 'remove'],
    ],
    [[], ['get']],
  ])) {
    const store = new Store();
    assert.deepEqual((await ask(store, { stages })).problems, []);
    assert.deepEqual(store.methodsIn('one'), expected);
  }
});

test('a shard tries one of its own objects', async () => {
  const store = new Store();
  const { keyspace } = await ask(store, { shard: { index: 2, count: 5 } });
  const tried = store.requests.map(({ bucket, key }) => keyspace.recognise(bucket, key)).filter((own) => own !== null);
  assert.ok(tried.length === 10 && tried.every(({ isProbe, index }) => isProbe && index % 5 === 2));
});

test('checks buckets concurrently', async () => {
  const store = new Store();
  /** @type {(value?: unknown) => void} */
  let meet = () => {};
  const both = new Promise((resolve) => (meet = resolve));
  store.before = () => {
    if (store.requests.length === 2) {
      meet();
    }
    return /** @type {Promise<void>} */ (both);
  };
  assert.deepEqual((await ask(store)).problems, []);
});

test('sends nothing without preflight', async () => {
  const store = new Store();
  assert.deepEqual((await ask(store, { preflight: false })).problems, []);
  assert.deepEqual(store.requests, []);
});

test('neither writes nor reads a large object', async () => {
  const store = new Store();
  await ask(store, { size: 2 ** 30 });
  const [{ body }] = store.requests.filter(({ method }) => method === 'put');
  assert.equal(/** @type {Buffer} */ (body).length, 1024);
  const kept = new Store();
  await ask(kept, { size: 2 ** 30, stages: ['read', 'stat'] });
  assert.deepEqual(kept.methodsIn('one'), ['get', 'head']);
});

test('sends the operations that the stages send, and leaves it to them to report wrong content', async () => {
  const { store, problems } = await askWith(({ sink, method }) => {
    if (method === 'get') {
      sink?.accept(Buffer.from('not what was written'));
    }
  });
  assert.deepEqual(problems, []);
  const { body, key } = /** @type {FakeRequest} */ (store.requests.find(({ method }) => method === 'put'));
  const { keyspace, payload } = fakeEngine({ answer: () => {} }).workload;
  const { index } = /** @type {OwnKey} */ (keyspace.recognise('one', key) ?? keyspace.recognise('two', key));
  assert.deepEqual(body, payload.view(index, 0, 1000));
});

test('wrong credentials take one request per bucket, and are reported once for all', async () => {
  const { problems, isTransient, store } = await askWith(() => {
    throw answer(403, 'SignatureDoesNotMatch');
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /^the first request in buckets "one", "two" was refused .*S3_SECRET_KEY/);
  assert.ok(!problems[0].includes('the-secret-key'));
  assert.deepEqual([store.requests.length, isTransient], [2, false]);
});

test('Row 2: a missing bucket is named, and the others are still checked', async () => {
  const { problems, store } = await askWith(({ bucket, method }) => {
    if (bucket === 'two') {
      throw answer(404, 'NoSuchBucket');
    }
    if (method === 'put') {
      throw answer(403, 'AccessDenied');
    }
  });
  assert.equal(problems.length, 2);
  assert.match(problems.join('\n'), /no bucket "two"/);
  assert.match(problems.join('\n'), /^write in bucket "one" was refused \(HTTP 403 AccessDenied/m);
  assert.deepEqual(store.methodsIn('two'), ['get']);
});

test('a token without write permission is reported, and the rest is still checked', async () => {
  const { problems, isTransient, store, probes } = await askWith(failing(['put'], answer(403, 'AccessDenied')));
  assert.deepEqual([problems.length, isTransient, probes.size], [1, false, 0]);
  assert.match(problems[0], /^write in buckets "one", "two" was refused /);
  assert.deepEqual(store.methodsIn('one'), ['get', ...ALL]);
});

test('operations refused for the same reason share a line, including a HEAD, which has no error code', async () => {
  const { problems } = await askWith(({ method, key, bucket }) => {
    if (!key.endsWith('/preflight') && (method !== 'get' || bucket === 'two')) {
      throw method === 'head' ? answer(403) : answer(403, 'AccessDenied');
    }
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /^write, (read, stat|stat, read) and remove in buckets "one", "two" were refused /);
});

test('without permission to list, an absent object is forbidden: the operations of the run decide', async () => {
  const forbidden = (/** @type {string[]} */ ...methods) =>
    askWith(({ method, key }) => {
      if (key.endsWith('/preflight') || methods.includes(method)) {
        throw answer(403, 'AccessDenied');
      }
    });
  assert.deepEqual((await forbidden()).problems, []);
  assert.match((await forbidden('get')).problems.join(), /^read in buckets/);
  const onlyReading = new Store();
  onlyReading.before = () => {
    throw answer(403, 'AccessDenied');
  };
  const { problems } = await ask(onlyReading, { stages: ['read'], size: 2 ** 30 });
  assert.match(problems.join(), /^read in buckets/);
});

test('if there is only a clean-up to do, a refusal of the first request decides', async () => {
  const { problems, isTransient, store } = await askWith(
    () => {
      throw answer(403, 'AccessDenied');
    },
    { stages: [] },
  );
  assert.match(problems.join(), /^the first request in buckets "one", "two" was refused \(HTTP 403 AccessDenied/);
  assert.deepEqual([isTransient, store.requests.length], [false, 2]);
});

test('no object is requested from a bucket that has none of the few objects', async () => {
  const store = new Store();
  const { keyspace, notices } = await ask(store, { stages: ['stat'], objects: 1 });
  const [holder, other] = keyspace.bucketOf(0) === 'one' ? ['one', 'two'] : ['two', 'one'];
  assert.deepEqual([store.methodsIn(holder), store.methodsIn(other)], [['get', 'head'], ['get']]);
  assert.match(notices.join(), new RegExp(`has no ${holder}/\\S+ in these buckets: check`));
});

test('remembers an object that could not be removed', async () => {
  const { problems, probes, keyspace, store } = await askWith(
    failing(['remove', 'batch'], answer(403, 'AccessDenied')),
  );
  assert.match(problems.join(), /^remove in buckets "one", "two" was refused /);
  assert.deepEqual(
    [...probes].map((index) => `${keyspace.bucketOf(index)}/${keyspace.probeKeyOf(index)}`).toSorted(),
    [...store.objects].toSorted(),
  );
});

test('a read without a response does not mean that the store is absent if the first request got one', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const store = new Store();
  store.before = failing(['get'], timeoutError(10));
  const { problems } = await patiently(ask(store, { stages: ['write', 'read'] }));
  assert.equal(problems.length, 1);
  assert.match(problems[0], /^read in buckets "one", "two" on store\.test:443 got no response \(.*10ms\)/);
});

test('remembers a write with an unknown outcome, and sends nothing more', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const store = new Store();
  store.before = failing(['put'], timeoutError(10));
  const asked = ask(store, { stages: ['write'] });
  const { problems, probes } = await patiently(asked);
  assert.match(problems.join(), /^write in buckets "one", "two" on store\.test:443 got no response \(.*10ms\)/);
  assert.equal(probes.size, 2);
  assert.deepEqual(store.methodsIn('one'), ['get', 'put', 'put', 'put', 'put']);
});

test('a store that keeps throttling is a transient problem, unless there is another problem', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  for (const [error, expected] of /** @type {const} */ ([
    [answer(503, 'SlowDown'), true],
    [answer(500, 'InternalError'), true],
    [answer(501, 'NotImplemented'), false],
  ])) {
    const store = new Store();
    store.before = failing(['put'], error);
    const asked = ask(store);
    const { isTransient, problems } = await patiently(asked);
    assert.deepEqual([isTransient, problems.length], [expected, 1]);
  }
});

test('Row 50: a store without DeleteObjects is reported, and the object is removed by itself', async () => {
  for (const [status, ...stages] of /** @type {[number, ...string[]][]} */ ([
    [400, 'write'],
    [405, 'write', 'remove'],
    [501, 'write'],
  ])) {
    const refusal = answer(status, 'NotImplemented');
    const { problems, notices, store, probes } = await askWith(failing(['batch'], refusal), { stages });
    assert.deepEqual([problems, store.objects.size, probes.size], [[], 0, 0]);
    assert.deepEqual(store.methodsIn('one'), ['get', 'put', 'batch', 'remove']);
    assert.equal(notices.length, 1);
    assert.match(notices[0], /^The store does not support DeleteObjects \(.*\): clean-up deletes objects one by one$/);
  }
});

test('looks for objects of an earlier run, and names the missing ones', async () => {
  const present = new Store();
  const { keyspace } = await ask(new Store());
  for (let index = 0; index < 20; index++) {
    present.objects.add(`${keyspace.bucketOf(index)}/${keyspace.keyOf(index)}`);
  }
  const { payload } = fakeEngine({ answer: () => {} }).workload;
  present.before = ({ method, bucket, key, sink, connection }) => {
    const own = keyspace.recognise(bucket, key);
    connection.reply.contentLength = 1000;
    if (method === 'get' && own !== null) {
      sink?.accept(/** @type {Buffer} */ (payload.view(own.index, 0, 1000)));
    }
  };
  const found = await ask(present, { stages: ['read', 'stat', 'remove'] });
  assert.deepEqual([found.problems, found.notices], [[], []]);
  assert.deepEqual(present.methodsIn('one'), ['get', 'get', 'head', 'remove']);
  assert.equal(present.objects.size, 20, 'none is removed');

  const { problems, notices } = await ask(new Store(), { stages: ['read', 'stat'] });
  assert.deepEqual([problems, notices.length], [[], 1]);
  assert.match(
    notices[0],
    /^Run run-1 has no one\/benchmark\/run-1\/\S+, two\/\S+ in these buckets: check that the run used --keep/,
  );
});

test('reports an object of an earlier run that has another size', async () => {
  const store = new Store();
  const { keyspace } = await ask(new Store());
  for (let index = 0; index < 20; index++) {
    store.objects.add(`${keyspace.bucketOf(index)}/${keyspace.keyOf(index)}`);
  }
  store.before = ({ connection }) => void (connection.reply.contentLength = 4096);
  const { problems, notices } = await ask(store, { stages: ['stat'] });
  assert.deepEqual([problems, notices.length], [[], 2]);
  assert.match(
    notices[0],
    /^An object of run run-1 is wrong: \S+: the size is 4096 bytes, expected 1000; check that --size is as in that run$/,
  );
});

test('a pause that the store asks for takes at most 5 seconds', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const store = new Store();
  let pauses = 0;
  store.before = () => {
    if (store.requests.length === 1) {
      throw Object.assign(answer(503, 'SlowDown'), { retryAfter: 30_000 });
    }
  };
  const asked = ask(store, { store: { ...runConfig(NO_TARGET).store, buckets: ['one'] }, stages: [] });
  for (; store.requests.length < 2; pauses++) {
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(1000);
  }
  assert.deepEqual((await asked).problems, []);
  assert.ok(pauses >= 5 && pauses < 10, `${pauses} seconds`);
});

test('survives a hiccup', async () => {
  let attempts = 0;
  const { problems } = await askWith(() => {
    attempts += 1;
    if (attempts < 4) {
      throw refused();
    }
  });
  assert.deepEqual(problems, []);
});

test('Row 5: gives up on an absent store quickly', async () => {
  const { problems, isTransient, store } = await askWith(() => {
    throw refused();
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0], /no connection to store\.test:443/);
  assert.deepEqual([store.requests.length, isTransient], [8, false]);
});

test('a stop during a request is not a problem of the store', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  for (const behave of [() => new Promise(() => {}), () => Promise.reject(refused())]) {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const store = new Store();
    store.before = /** @type {() => Promise<void>} */ (behave);
    assert.deepEqual((await ask(store, {}, controller.signal)).problems, []);
  }
});

test('a store that carries out a write whose condition does not hold is refused in one line, for both kinds of races', async () => {
  const { problems, isTransient } = await ask(new Store(), { stages: ['write', 'create', 'swap'] });
  assert.deepEqual([problems.length, isTransient], [1, false]);
  assert.match(problems[0], /^swap and create in buckets "one", "two" .*failed \(the store carried out a write whose/);
});

test('stops after any request, and remembers what was written by then', async () => {
  for (const method of ALL) {
    const controller = new AbortController();
    const store = new Store();
    store.before = (request) => {
      if (request.method === method && request.bucket === 'one' && !request.key.endsWith('/preflight')) {
        controller.abort();
      }
    };
    const { problems, probes, keyspace } = await ask(
      store,
      { store: { ...runConfig(NO_TARGET).store, buckets: ['one'] } },
      controller.signal,
    );
    assert.deepEqual(problems, []);
    for (const place of store.objects) {
      const [index] = [...probes].filter((each) => place.endsWith(keyspace.probeKeyOf(each)));
      assert.notEqual(index, undefined, `${place} is forgotten`);
    }
  }
});

test('throws an unexpected error', async () => {
  const error = new TypeError('a mistake of ours');
  await assert.rejects(
    askWith(() => {
      throw error;
    }),
    error,
  );
});
