import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Budget, budgetMemory } from '../../lib/load/budget.js';
import { runStage } from '../../lib/load/run-stage.js';
import { operationNamed } from '../../lib/load/operations/registry.js';
import { rewritingStage, stageOf } from '../../lib/load/operations/stage.js';
import { AttemptError, NOT_FOUND } from '../../lib/store/s3-error.js';
import { MixedObjects, mixedMemory } from '../../lib/load/workload/mixed-objects.js';
import { cases } from '../helpers/cases.js';
import { chance } from '../helpers/chance.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { closedLoop } from '../helpers/load.js';
import { SimulatedTime } from '../helpers/simulated-time.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { FakeRequest } from '../helpers/fake-store.js'
 *
 * @typedef {{ body: Buffer, etag: number } | null} Content null for an absent object
 *
 * @typedef {object} Flaws of the store, as probabilities
 * @property {number} [losesAnswer] a change takes effect at any time before its key may change again, or never
 * @property {number} [refuses]
 * @property {number} [losesUpdate] confirms a write without performing it
 * @property {number} [servesOld] serves the content before the last change
 * @property {number} [servesOther] serves another object
 */

const OBJECTS = 30;
const TIMEOUT_MS = 1000;
const STEP_MS = 10;
const SIZE = 40;

/** A store that is strongly consistent, apart from its flaws, and takes its time. */
class ModelStore {
  #random;
  #flaws;
  /** @type {Map<string, Content>} */
  #contents = new Map();
  /** @type {Map<string, Content>} */
  #before = new Map();
  /** Keys with a change in flight. @type {Set<string>} */
  #changing = new Set();
  #etags = 100;

  /**
   * @param {() => number} random
   * @param {Flaws} flaws
   */
  constructor(random, flaws) {
    this.#random = random;
    this.#flaws = flaws;
  }

  /** @param {FakeRequest & { index: number }} request */
  async answer(request) {
    const { method, key, body } = request;
    if (method === 'put' || method === 'remove') {
      assert.ok(!this.#changing.has(key), 'two changes of one key are in flight');
      this.#changing.add(key);
      try {
        await this.#change(request, method === 'put' ? Buffer.from(/** @type {Buffer} */ (body)) : null);
      } finally {
        this.#changing.delete(key);
      }
      return;
    }
    await this.#wait(50);
    const content = this.#contentFor(key);
    const reply = /** @type {any} */ (request.connection).reply;
    const [first, last] = /\d+-\d+/
      .exec(String(request.input?.Range ?? ''))?.[0]
      .split('-')
      .map(Number) ?? [0, SIZE];
    await this.#wait(50);
    if (content === null) {
      throw new AttemptError({ kind: NOT_FOUND, handling: 'fail', message: 'HTTP 404', status: 404 });
    }
    const part = content.body.subarray(first, last + 1);
    const contentRange = `bytes ${first}-${last}/${SIZE}`;
    Object.assign(reply, { status: 206, etagDigest: content.etag, contentLength: content.body.length, contentRange });
    if (method === 'get') {
      request.sink?.accept(part.subarray(0, 3));
      await this.#wait(1500);
      request.sink?.accept(part.subarray(3));
    }
  }

  /**
   * @param {FakeRequest} request
   * @param {Buffer | null} body
   */
  async #change({ key, connection }, body) {
    const { losesAnswer = 0, refuses = 0, losesUpdate = 0 } = this.#flaws;
    const content = body === null ? null : { body, etag: this.#etags++ };
    await this.#wait(30);
    if (this.#happens(refuses)) {
      throw new AttemptError({ kind: 'client-error', handling: 'fail', message: 'HTTP 400', status: 400 });
    }
    if (this.#happens(losesAnswer)) {
      const givenUpAfter = this.#random() * TIMEOUT_MS;
      if (this.#happens(0.8)) {
        setTimeout(() => this.#set(key, content), this.#random() * (givenUpAfter + TIMEOUT_MS + 1900));
      }
      await new Promise((resolve) => setTimeout(resolve, givenUpAfter));
      throw new AttemptError({ kind: 'timeout', handling: 'retry', message: 'no response', outcomeUnknown: true });
    }
    if (!this.#happens(losesUpdate)) {
      this.#set(key, content);
    }
    await this.#wait(30);
    /** @type {any} */ (connection).reply.etagDigest = content?.etag ?? 0;
  }

  /**
   * @param {string} key
   * @param {Content} content
   */
  #set(key, content) {
    this.#before.set(key, this.#contents.get(key) ?? null);
    this.#contents.set(key, content);
  }

  /** @param {string} key */
  #contentFor(key) {
    const { servesOld = 0, servesOther = 0 } = this.#flaws;
    const others = [...this.#contents.values()].filter((content) => content !== null);
    return this.#happens(servesOld)
      ? (this.#before.get(key) ?? null)
      : this.#happens(servesOther)
        ? others[Math.floor(this.#random() * others.length)]
        : (this.#contents.get(key) ?? null);
  }

  /** @param {number} probability */
  #happens(probability) {
    return probability > 0 && this.#random() < probability;
  }

  /** @param {number} longest ms */
  #wait(longest) {
    return new Promise((resolve) => setTimeout(resolve, this.#random() * longest));
  }
}

/**
 * Writes objects, and runs a mix on them.
 *
 * @param {TestContext} t
 * @param {number} seed
 * @param {Flaws} flaws
 * @param {number} [settlingTime]
 */
async function runMix(t, seed, flaws, settlingTime) {
  const time = new SimulatedTime(t, 1_700_000_000_000);
  const store = new ModelStore(chance(seed).uniform, flaws);
  const engine = fakeEngine({
    answer: (request) => store.answer(request),
    objects: OBJECTS,
    threads: 12,
    maxAttempts: 3,
    clock: time.clock,
  });
  const memory = mixedMemory(OBJECTS, { copies: false, timeout: TIMEOUT_MS });
  const mixed = new MixedObjects({ ...memory, settlingTime: settlingTime ?? memory.settlingTime });
  engine.workload = { ...engine.workload, mixed, amounts: { ...engine.workload.amounts, rangeSize: 10 } };
  const kinds = Object.entries({ read: 30, range: 20, stat: 10, write: 25, remove: 15 }).map(([name, weight]) => ({
    operation: operationNamed(name),
    weight,
  }));
  /** @type {string[]} */
  const integrityErrors = [];
  const none = () => {};
  const hooks = { second: none, retrying: none, failed: none, progress: none };
  for (const [stage, operations] of /** @type {const} */ ([
    [stageOf(operationNamed('write')), OBJECTS],
    [rewritingStage(kinds), 600],
  ])) {
    const staged = runStage(stage, {
      engine,
      load: closedLoop({ size: SIZE, mixedObjects: OBJECTS }),
      budget: new Budget({ memory: budgetMemory(), objects: operations, cycles: false }),
      signal: new AbortController().signal,
      hooks: { ...hooks, integrityError: (message) => integrityErrors.push(message) },
    });
    let isOver = false;
    staged.finally(() => (isOver = true)).catch(none);
    while (!isOver) {
      await time.leap(STEP_MS);
    }
    const { end, fatal } = await staged;
    assert.deepEqual([end, fatal], ['complete', null]);
  }
  time.end();
  return integrityErrors;
}

describe('a mix', () => {
  test('never rejects what a consistent store returns, even if it delays requests, loses answers and refuses changes', async (t) => {
    for (let seed = 0; seed < cases(15); seed++) {
      assert.deepEqual(await runMix(t, seed, { losesAnswer: 0.1, refuses: 0.05 }), [], `seed ${seed}`);
    }
  });

  test('would reject it if a key were not set aside after an unknown outcome', async (t) => {
    const errors = await runMix(t, 1, { losesAnswer: 0.3 }, 1000);
    assert.ok(errors.some((message) => message.includes('stale')));
  });

  for (const [flaw, what, shown] of /** @type {const} */ ([
    [{ losesUpdate: 0.1 }, 'lost updates', /stale|does not find|was removed|the ETag/],
    [{ servesOld: 0.1 }, 'old versions', /is stale: got version \d+, but version \d+ existed before/],
    [{ servesOther: 0.1 }, 'bytes of other objects', /is torn: from offset \d+ on, it matches no version/],
  ])) {
    test(`finds ${what}, while answers get lost`, async (t) => {
      const errors = await runMix(t, 2, { ...flaw, losesAnswer: 0.02 });
      assert.ok(
        errors.some((message) => shown.test(message)),
        errors.join('\n'),
      );
    });
  }
});
