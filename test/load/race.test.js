import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Race, create, swap } from '../../lib/load/operations/race.js';
import { OperationRecord } from '../../lib/load/operations/operation-record.js';
import { digestIn } from '../../lib/store/object-connection.js';
import { Retrier } from '../../lib/store/retry.js';
import { AttemptError, NOT_FOUND, THROTTLED, classifyAnswer } from '../../lib/store/s3-error.js';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';
import { fakeEngine } from '../helpers/fake-store.js';
import { prepareOperation } from '../helpers/stage-operation.js';

/**
 * @import { Operation } from '../../lib/load/operations/operation.js'
 * @import { FakeRequest } from '../helpers/fake-store.js'
 */

const INDEX = 3;
const SIZE = 16;

/**
 * What the store does with a contender's write:
 * - `wins`: carries it out and confirms it; `lies`: only confirms it
 * - `refused`: 412; `conflicts`: 409; `sneaks`: carries it out and answers 412
 * - `busy`: 429; `slow`: 503; `late`: carries it out and answers 503
 * - `lost`: carries it out without a response; `dropped`: no response, and no effect; `delayed`: no response, and carried
 *   out before the next write after the race; `paused`: the same, in the pause before the race is repeated
 *
 * @typedef {'wins' | 'lies' | 'refused' | 'conflicts' | 'sneaks' | 'busy' | 'slow' | 'late' | 'lost' | 'dropped' |
 *   'delayed' | 'paused'} Fate
 */

const CARRIED_OUT = ['wins', 'sneaks', 'late', 'lost'];
/** @type {Partial<Record<Fate, number>>} */
const STATUSES = { refused: 412, conflicts: 409, sneaks: 412, busy: 429, slow: 503, late: 503 };

/**
 * Races once for each list of fates, on a store that holds one object.
 *
 * @param {Operation} operation
 * @param {readonly Fate[][]} rounds of the race, with a fate for each contender
 * @param {object} [options]
 * @param {boolean} [options.isReplacedBefore] whether someone else replaces the object before the race
 * @param {boolean} [options.isTorn] whether reads return bytes that no one wrote
 */
async function race(operation, rounds, { isReplacedBefore = false, isTorn = false } = {}) {
  const [{ length: contenders }] = rounds;
  const fates = rounds.flat();
  /** @type {Buffer | null} */
  let stored = null;
  /** @type {Buffer | null} */
  let delayed = null;
  /** @type {Buffer | null} */
  let paused = null;
  /** @type {(string | undefined)[]} */
  const conditions = [];
  const etag = () => `"${stored?.toString('hex')}"`;
  const answer = (/** @type {FakeRequest} */ { method, body, sink, input, connection }) => {
    if (method === 'get') {
      if (stored === null) {
        throw new AttemptError({ kind: NOT_FOUND, handling: 'fail', message: 'HTTP 404', status: 404 });
      }
      connection.reply.output = { ETag: etag() };
      connection.reply.etagDigest = digestIn(connection.reply.output);
      sink?.accept(isTorn ? Buffer.alloc(SIZE) : stored);
      return;
    }
    if (fates.length % contenders === 0 && delayed !== null) {
      stored = delayed;
    }
    const fate = /** @type {Fate} */ (fates.shift());
    delayed = fate === 'delayed' ? Buffer.from(/** @type {Buffer} */ (body)) : delayed;
    paused = fate === 'paused' ? Buffer.from(/** @type {Buffer} */ (body)) : paused;
    conditions.push(input?.IfNoneMatch ?? input?.IfMatch);
    if (CARRIED_OUT.includes(fate)) {
      stored = Buffer.from(/** @type {Buffer} */ (body));
    }
    if (STATUSES[fate] !== undefined) {
      throw classifyAnswer({ status: STATUSES[fate], now: 0 });
    }
    if (['lost', 'dropped', 'delayed', 'paused'].includes(fate)) {
      throw new AttemptError({ kind: 'connection', handling: 'retry', message: 'closed', outcomeUnknown: true });
    }
  };
  const engine = fakeEngine({ answer, threads: contenders });
  const copies = new Ledger(ledgerMemory(INDEX + 1));
  const workload = { ...engine.workload, copies, sizeOf: () => SIZE };
  if (operation === swap) {
    stored = Buffer.from(/** @type {Buffer} */ (workload.payload.bodyOf(INDEX, SIZE, 0)));
    workload.ledger.add(INDEX, digestIn({ ETag: etag() }));
  }
  const expected = operation === swap ? etag() : '*';
  if (isReplacedBefore) {
    stored = Buffer.from(/** @type {Buffer} */ (workload.payload.bodyOf(INDEX, SIZE, 1)));
  }
  /** @type {string[]} */
  const outcomes = [];
  const meter = { undecidedRaces: 0, steps: 0, stepSucceeded: () => void (meter.steps += 1), failed: 0 };
  const answeredBy = (/** @type {string} */ outcome) => void outcomes.push(outcome);
  const options = { now: () => 0, random: () => 0, signal: new AbortController().signal };
  const pauses = /** @type {any} */ ({ wait: async () => void (stored = paused ?? stored) });
  const hooks = { attemptFailed: () => void (meter.failed += 1), retrying() {} };
  const retrier = new Retrier({ ...options, pauses, maxAttempts: rounds.length, hooks });
  const record = new OperationRecord(operation, workload, engine.connections[0]);
  record.take(0, operation, INDEX);
  record.racer = new Race(engine.connections, {
    ...{ workload, throwIfStopped() {} },
    send: (request) => retrier.run(request),
    sendOnce: (request) => retrier.with({ maxAttempts: 1 }).run(request),
    meters: [Object.assign(meter, { answeredBy })],
  });
  const error = await retrier
    .with({ hooks: { ...hooks, attemptFailed() {} } })
    .run(record)
    .then(
      () => null,
      (/** @type {any} */ reason) => reason,
    );
  return { error, finding: error?.finding ?? null, record, meter, outcomes, conditions, expected, workload };
}

for (const operation of [create, swap]) {
  test(`${operation.name}: a race with one winner and losers succeeds, and its requests are counted apart`, async () => {
    const { error, outcomes, meter, conditions, expected } = await race(operation, [['refused', 'wins', 'conflicts']]);
    assert.equal(error, null);
    assert.deepEqual(outcomes.toSorted(), ['loser', 'loser', 'winner']);
    assert.deepEqual(conditions, [expected, expected, expected]);
    // Three writes, and the read before a swap. The read after the race is the operation's own attempt.
    assert.deepEqual([meter.steps, meter.failed, meter.undecidedRaces], [operation === swap ? 4 : 3, 0, 0]);
  });

  test(`${operation.name}: throttled and lost writes next to a winner prove nothing`, async () => {
    const { error, outcomes, meter } = await race(operation, [['busy', 'wins', 'slow', 'dropped']]);
    assert.equal(error, null);
    assert.deepEqual(outcomes.toSorted(), ['lost', 'throttled', 'throttled', 'winner']);
    assert.deepEqual([meter.undecidedRaces, meter.failed], [0, 2]);
  });

  test(`${operation.name}: a race whose winner got no response is decided by reading`, async () => {
    for (const fate of /** @type {const} */ (['lost', 'late'])) {
      const { error, meter } = await race(operation, [['refused', fate, 'refused']]);
      assert.equal(error, null);
      assert.equal(meter.undecidedRaces, 1);
    }
  });

  test(`${operation.name}: a race in which nothing was carried out, but not all were refused, is repeated`, async () => {
    const { error, record, meter } = await race(operation, [
      ['busy', 'refused', 'dropped'],
      ['refused', 'wins', 'refused'],
    ]);
    assert.equal(error, null);
    assert.deepEqual([record.attempts, meter.undecidedRaces], [2, 1]);
    const { error: last } = await race(operation, [['busy', 'slow', 'dropped']]);
    assert.deepEqual([last.kind, last.handling, last.outcomeUnknown], ['no-winner', 'retry', true]);
  });

  test(`${operation.name}: every kind of violation is found`, async () => {
    for (const [fates, finding] of /** @type {[Fate[], RegExp][]} */ ([
      [['wins', 'wins', 'refused'], /^two winners: 2 of 3 writes succeeded, expected 1$/],
      [['wins', 'lies', 'refused'], /^two winners/],
      [
        ['refused', 'refused', 'conflicts'],
        /^no winner: all 3 writes were refused, but the object (does not exist|is unchanged)$/,
      ],
      [['refused', 'sneaks', 'refused'], /^a loser’s bytes/],
      [
        ['wins', 'sneaks', 'refused'],
        /^lost update: 1 of 3 writes succeeded, but the object has the bytes of another \(loser\)$/,
      ],
      [['wins', 'lost', 'refused'], /^lost update: .* has the bytes of another \(lost\)$/],
      [['lies', 'refused', 'refused'], /^lost update: 1 of 3 .*, but the object (does not exist|is unchanged)$/],
    ])) {
      const { finding: found } = await race(operation, [fates]);
      assert.match(found ?? '', finding, fates.join());
    }
  });

  test(`${operation.name}: a body that no one wrote is a violation`, async () => {
    const { error } = await race(operation, [['wins', 'refused']], { isTorn: true });
    assert.match(error?.finding ?? '', /the body first differs at offset 0/);
  });

  test(`${operation.name}: in preflight, a store must refuse a write whose condition does not hold`, async () => {
    const attempt = (/** @type {number} */ status) => {
      const refuse = () => {
        throw classifyAnswer({ status, now: 0 });
      };
      return operation.attempt(prepareOperation(operation, { answer: status < 300 ? () => {} : refuse }).operation);
    };
    await attempt(412);
    await attempt(409);
    await assert.rejects(attempt(503), { kind: THROTTLED });
    await assert.rejects(attempt(200), { handling: 'stop', message: /^the store carried out a write whose condition/ });
  });
}

test('a write of an earlier attempt of a race may take effect late, and wins the repeated race', async () => {
  for (const operation of [create, swap]) {
    const rounds = /** @type {Fate[][]} */ ([
      ['busy', 'delayed', 'refused'],
      ['refused', 'refused', 'refused'],
    ]);
    const { error, record, meter } = await race(operation, rounds);
    assert.deepEqual([error, record.attempts, meter.undecidedRaces], [null, 2, 2]);
  }
});

test('a write of a race may take effect in the pause before the race is repeated', async () => {
  const { error, record } = await race(swap, [
    ['busy', 'paused', 'refused'],
    ['refused', 'wins', 'refused'],
  ]);
  assert.deepEqual([error, record.attempts], [null, 2]);
});

test('an object that was replaced between two swaps is a lost update', async () => {
  const { finding, conditions } = await race(swap, [['wins', 'refused']], { isReplacedBefore: true });
  assert.equal(finding, 'lost update: the object has another ETag than its last writer was given');
  assert.deepEqual(conditions, []);
});

test('the ledgers know what a race has written', async () => {
  const { workload, record } = await race(create, [['lost', 'refused']]);
  assert.equal(record.key, workload.keyspace.copyKeyOf(INDEX));
  assert.ok(workload.copies.has(INDEX));
  const { workload: swapped } = await race(swap, [['refused', 'wins']]);
  const written = Buffer.from(/** @type {Buffer} */ (swapped.payload.bodyOf(INDEX, SIZE, 3)));
  assert.ok(swapped.ledger.matches(INDEX, digestIn({ ETag: `"${written.toString('hex')}"` })));
});
