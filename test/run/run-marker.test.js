import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunMarker } from '../../lib/run/preflight/run-marker.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { Keyspace, WHOLE } from '../../lib/load/workload/keyspace.js';

const KEYSPACE = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: ['one', 'two'] });

/** A store with one bucket, whose requests may fail or have no effect. */
class Store {
  /** @type {Map<string, string>} */
  objects = new Map();
  requests = 0;

  /** @param {{ honours: boolean, keeps?: boolean, allowsBatches?: boolean, failing?: string, status?: number }} script */
  constructor(script) {
    this.script = script;
  }

  get access() {
    const retry = async (/** @type {() => any} */ request) => request();
    return { admin: /** @type {any} */ (this), retry };
  }

  /** @param {string} name */
  #request(name) {
    this.requests += 1;
    const { failing, status = 403 } = this.script;
    if (failing === name) {
      throw new AttemptError({ kind: 'denied', handling: 'stop', message: `HTTP ${status}`, status });
    }
  }

  /** @param {string} _bucket @param {string} key @param {Buffer} body */
  async create(_bucket, key, body) {
    this.#request('create');
    const isRefused = this.script.honours && this.objects.has(key);
    if (!isRefused) {
      this.objects.set(key, body.toString());
    }
    return !isRefused;
  }

  /** @param {string} _bucket @param {string} key */
  async read(_bucket, key) {
    this.#request('read');
    return this.objects.get(key);
  }

  /** @param {string} _bucket @param {string} key */
  async has(_bucket, key) {
    this.#request('has');
    return this.objects.has(key);
  }

  /** @param {string} _bucket @param {string} key */
  async deleteObject(_bucket, key) {
    this.#request('delete');
    if (!this.script.keeps) {
      this.objects.delete(key);
    }
  }

  /** @param {string} _bucket @param {string[]} keys @returns {Promise<string[]>} keys that are left */
  async deleteBatch(_bucket, keys) {
    this.#request('batch');
    if (!this.script.allowsBatches) {
      return keys;
    }
    keys.forEach((key) => this.objects.delete(key));
    return [];
  }
}

function noWait() {
  return assert.fail('no reason to wait');
}

test('Row 49: a store that honours the condition needs two requests, and refuses a second run', async () => {
  const store = new Store({ honours: true });
  const [first, second] = [new RunMarker(KEYSPACE, WHOLE), new RunMarker(KEYSPACE, WHOLE)];
  assert.equal(await first.place(store.access, noWait), true);
  assert.equal(store.requests, 2);
  assert.equal(await second.place(store.access, noWait), false);
  assert.deepEqual([first.isPlaced, second.isPlaced], [true, false], 'only the first one removes it');
  assert.equal(await first.remove(store.access), null);
  assert.equal(store.objects.size, 0);
});

test('Row 49: of runs that start together, at most one continues, whatever the order of their requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.boolean(), fc.integer({ min: 2, max: 4 }), async (scheduler, honours, runs) => {
      const store = new Store({ honours });
      const admin = {
        create: scheduler.scheduleFunction(store.create.bind(store)),
        read: scheduler.scheduleFunction(store.read.bind(store)),
      };
      const access = { ...store.access, admin: /** @type {any} */ (admin) };
      // All of them write their markers before the first one has waited.
      let writing = runs;
      /** @type {() => void} */
      let meet = () => {};
      const allWrote = new Promise((resolve) => (meet = () => resolve(undefined)));
      const wait = () => {
        writing -= 1;
        if (writing === 0) {
          meet();
        }
        return allWrote;
      };
      const markers = Array.from({ length: runs }, () => new RunMarker(KEYSPACE, WHOLE));
      const placed = await scheduler.waitFor(Promise.all(markers.map((marker) => marker.place(access, wait))));
      assert.equal(placed.filter(Boolean).length, 1);
      assert.deepEqual(
        markers.map(({ isPlaced }) => isPlaced),
        placed,
      );
    }),
  );
});

test('a marker whose first request got no answer is its own', async () => {
  const store = new Store({ honours: true });
  const marker = new RunMarker(KEYSPACE, WHOLE);
  const { access } = store;
  let isFirst = true;
  access.retry = async (request) => {
    const answer = await request();
    // The retrier sends the request again.
    const again = isFirst ? request() : answer;
    isFirst = false;
    return again;
  };
  assert.equal(await marker.place(access, noWait), true);
});

test('shards of a run have a marker each', async () => {
  const store = new Store({ honours: true });
  for (const index of [0, 1, 2]) {
    assert.equal(await new RunMarker(KEYSPACE, { index, count: 3 }).place(store.access, noWait), true);
  }
});

test('a store that refuses the marker does not keep the run from starting, and is not asked to remove it', async () => {
  const marker = new RunMarker(KEYSPACE, WHOLE);
  assert.equal(await marker.place(new Store({ honours: true, failing: 'create', status: 501 }).access, noWait), true);
  assert.equal(marker.isPlaced, false);
  const lost = new RunMarker(KEYSPACE, WHOLE);
  await lost.place(new Store({ honours: true, failing: 'create', status: 0 }).access, noWait);
  assert.equal(lost.isPlaced, true, 'a request without an answer may have been carried out');
});

test('Row 44: a marker that a store keeps, or does not let go, is named', async () => {
  for (const [script, problem] of /** @type {const} */ ([
    [{ keeps: true }, /^the store confirmed that it deleted benchmark\/run-1\/-running-4096, .* and keeps it$/],
    [{ failing: 'delete' }, /^benchmark\/run-1\/-running-4096, .* may be left \(HTTP 403\)$/],
  ])) {
    const store = new Store({ honours: true, ...script });
    const marker = new RunMarker(KEYSPACE, WHOLE);
    await marker.place(store.access, noWait);
    assert.match(String(await marker.remove(store.access)), problem);
  }
});

test('Row 2: credentials that may delete only in batches remove the marker', async () => {
  const store = new Store({ honours: true, failing: 'delete', allowsBatches: true });
  const marker = new RunMarker(KEYSPACE, WHOLE);
  await marker.place(store.access, noWait);
  assert.equal(await marker.remove(store.access), null);
  assert.deepEqual([...store.objects], []);
});
