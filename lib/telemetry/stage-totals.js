import { COUNT_NAMES, addCounts } from '../model/counters.js';
import { LATENCIES } from '../model/histogram.js';
import { NO_VALUES, sumOfValues } from './histograms.js';

/**
 * @import { StageCounts } from '../model/result.js'
 * @import { BucketSnapshot, ConnectionSnapshot, KindSnapshot, StageSnapshot } from '../model/run-events.js'
 */

const NO_LATENCIES = /** @type {KindSnapshot['latencies']} */ (
  Object.freeze(Object.fromEntries(LATENCIES.map((name) => [name, NO_VALUES])))
);

const NO_COUNTS = /** @type {StageCounts} */ (
  Object.freeze({ ...Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])), errors: Object.freeze({}) })
);

/**
 * What a stage, or a part of it, has come to.
 *
 * @typedef {object} StageSums
 * @property {ReadonlyMap<string, Omit<KindSnapshot, 'operation'>>} kinds by the operation
 * @property {ReadonlyMap<string, Omit<BucketSnapshot, 'bucket'>>} buckets by their names
 * @property {Pick<ConnectionSnapshot, 'opened' | 'reused'>} connections
 */

/**
 * What a stage has come to since it began, over all of its steps. Nothing in it ever becomes less: the last snapshot of a step has
 * the counts that the result is made of, and those before it had a part of them.
 */
export class StageTotals {
  /** Of the steps that are over. @type {StageSums} */
  #over;
  /** Of the step that is under way. @type {StageSnapshot | null} */
  #latest = null;
  isRunning = false;

  /**
   * @param {object} known
   * @param {readonly string[]} known.operations of its kinds, as far as they are known before it begins
   * @param {readonly string[]} known.buckets
   */
  constructor({ operations, buckets }) {
    const noBucket = { operations: 0, failed: 0, failedAttempts: 0, throttled: 0, latencies: NO_VALUES };
    this.#over = {
      kinds: new Map(operations.map((operation) => [operation, { counts: NO_COUNTS, latencies: NO_LATENCIES }])),
      buckets: new Map(buckets.map((bucket) => [bucket, noBucket])),
      connections: { opened: 0, reused: 0 },
    };
  }

  /** @param {StageSnapshot} snapshot */
  take(snapshot) {
    if (snapshot.isFinal) {
      this.#over = sumOf(this.#over, snapshot);
      this.#latest = null;
    } else {
      this.#latest = snapshot;
    }
  }

  /** The stage is over: what was not settled by the end of a step stays as it was seen. */
  end() {
    this.isRunning = false;
    if (this.#latest !== null) {
      this.#over = sumOf(this.#over, this.#latest);
      this.#latest = null;
    }
  }

  /** @returns {StageSums} */
  get sums() {
    return this.#latest === null ? this.#over : sumOf(this.#over, this.#latest);
  }

  /** What is under way, as the last snapshot saw it; null where nothing is. */
  get current() {
    return this.#latest;
  }
}

/**
 * @param {StageSums} over
 * @param {StageSnapshot} snapshot
 * @returns {StageSums}
 */
function sumOf(over, snapshot) {
  const kinds = new Map(over.kinds);
  for (const { operation, counts, latencies, cache } of snapshot.kinds) {
    const before = kinds.get(operation);
    kinds.set(
      operation,
      before === undefined
        ? { counts, latencies, cache }
        : {
            counts: sumOfCounts(before.counts, counts),
            latencies: sumOfLatencies(before.latencies, latencies),
            cache: sumOfCaches(before.cache, cache),
          },
    );
  }
  const buckets = new Map(over.buckets);
  for (const { bucket, latencies, ...counts } of snapshot.buckets) {
    const before = buckets.get(bucket);
    buckets.set(bucket, {
      operations: counts.operations + (before?.operations ?? 0),
      failed: counts.failed + (before?.failed ?? 0),
      failedAttempts: counts.failedAttempts + (before?.failedAttempts ?? 0),
      throttled: counts.throttled + (before?.throttled ?? 0),
      latencies: sumOfValues(before?.latencies ?? NO_VALUES, latencies ?? NO_VALUES),
    });
  }
  const connections = {
    opened: over.connections.opened + snapshot.connections.opened,
    reused: over.connections.reused + snapshot.connections.reused,
  };
  return { kinds, buckets, connections };
}

/**
 * @param {StageCounts} one
 * @param {StageCounts} other
 */
function sumOfCounts(one, other) {
  // Neither leaves out a counter.
  return /** @type {StageCounts} */ (addCounts([one, other]));
}

/**
 * @param {KindSnapshot['cache']} one
 * @param {KindSnapshot['cache']} other
 * @returns {KindSnapshot['cache']}
 */
function sumOfCaches(one = {}, other = {}) {
  const statuses = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...statuses].map((status) => [status, sumOfValues(one[status] ?? NO_VALUES, other[status] ?? NO_VALUES)]),
  );
}

/**
 * @param {KindSnapshot['latencies']} one
 * @param {KindSnapshot['latencies']} other
 */
function sumOfLatencies(one, other) {
  return /** @type {KindSnapshot['latencies']} */ (
    Object.fromEntries(LATENCIES.map((name) => [name, sumOfValues(one[name], other[name])]))
  );
}
