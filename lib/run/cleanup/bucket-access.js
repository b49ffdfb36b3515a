import { runPool } from '../../load/run-pool.js';
import { BucketAdmin } from '../../store/bucket-admin.js';
import { Pauses, Retrier } from '../../store/retry.js';
import { AttemptError } from '../../store/s3-error.js';

/**
 * @import { Clock } from '../../measure/clock/clock.js'
 * @import { RequestCounts } from '../../result/result.js'
 * @import { StoreOptions } from '../../store/object-store.js'
 */

/** Clean-up retries each request patiently, but not forever. */
const MAX_ATTEMPTS = 6;

/** Minimum timeout of an attempt, even if `--timeout` is shorter: listing a thousand keys takes time. */
const MIN_TIMEOUT_MS = 10_000;

/**
 * Maximum timeout of an attempt outside the stages, even if `--timeout` is longer: if a store stops responding, preflight
 * and clean-up can retry a request before they give up.
 */
export const MAX_ATTEMPT_TIMEOUT_MS = 30_000;

/** Clean-up gives up after this long without a successful request. */
const STALL_TIMEOUT_MS = 60_000;

export const STALLED = 'stalled';

/** Shortens the wait for a distant store, without a burst of requests. */
const CONCURRENCY = 8;

const CHECK_INTERVAL_MS = 250;

/**
 * @typedef {object} BucketAccess lists and deletes objects, with retries
 * @property {BucketAdmin} admin
 * @property {<Result>(request: () => Promise<Result>) => Promise<Result>} retry
 */

/**
 * @template Result
 * @param {object} options
 * @param {StoreOptions} options.storeOptions
 * @param {Clock} options.clock
 * @param {() => number} options.random uniform in [0, 1)
 * @param {number} options.timeout the value of `--timeout` in ms
 * @param {RequestCounts} options.requests counters to update
 * @param {(silence: number) => void} [options.onCheck] called at the start and then
 *   periodically, with the ms since the last successful request
 * @param {keyof RequestCounts} [options.countAs]
 * @param {number} [options.maxAttempts] per request
 * @param {AbortSignal} [options.signal] abandons the work
 * @param {(access: BucketAccess) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withBucketAccess(options, work) {
  const { storeOptions, clock, random, timeout, requests, onCheck = () => {} } = options;
  const { countAs = 'cleanup', maxAttempts = MAX_ATTEMPTS } = options;
  onCheck(0);
  // Each access gets its own signal, because Node warns about a leak if a signal has more than ten listeners.
  const signal = options.signal && AbortSignal.any([options.signal]);
  const end = new AbortController();
  const pauses = new Pauses();
  const admin = new BucketAdmin(storeOptions, attemptTimeout(timeout), end.signal);
  const giveUp = (/** @type {AttemptError} */ error) => {
    end.abort(error);
    pauses.endAll();
  };
  const stop = () => giveUp(stopError());
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) {
    stop();
  }
  const retrier = new Retrier({
    maxAttempts,
    now: clock.now,
    random,
    pauses,
    signal: end.signal,
    hooks: { attemptFailed() {}, retrying() {} },
  });
  let lastProgressAt = clock.now();
  const timer = setInterval(() => {
    const silence = clock.now() - lastProgressAt;
    if (silence >= STALL_TIMEOUT_MS && !end.signal.aborted) {
      giveUp(stallError());
    }
    onCheck(silence);
  }, CHECK_INTERVAL_MS);
  /** @type {BucketAccess['retry']} */
  const retry = async (request) => {
    end.signal.throwIfAborted();
    try {
      const result = await retrier.call(request, { startedAt: 0, idleSince: 0 });
      lastProgressAt = clock.now();
      return result;
    } catch (error) {
      throw error instanceof AttemptError && end.signal.aborted ? end.signal.reason : error;
    }
  };
  try {
    return await work({ admin, retry });
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
    requests[countAs] += admin.requests;
    await admin.close();
  }
}

/** Returns the timeout of a clean-up attempt in ms. @param {number} timeout the value of `--timeout` in ms */
function attemptTimeout(timeout) {
  return Math.min(Math.max(timeout, MIN_TIMEOUT_MS), MAX_ATTEMPT_TIMEOUT_MS);
}

function stopError() {
  return new AttemptError({ kind: 'abandoned', handling: 'fail', message: 'the run was stopped' });
}

function stallError() {
  return new AttemptError({
    kind: STALLED,
    handling: 'fail',
    message: `no request has succeeded for ${STALL_TIMEOUT_MS / 1000}s: check that the store is still reachable`,
  });
}

/**
 * @template Piece
 * @param {readonly Piece[]} pieces
 * @param {(piece: Piece) => Promise<void>} work
 * @returns {Promise<void>} see runPool()
 */
export function inParallel(pieces, work) {
  let next = 0;
  return runPool({
    threads: Array.from({ length: Math.min(CONCURRENCY, pieces.length) }),
    claim: () => (next < pieces.length ? next++ : -1),
    work: (_thread, index) => work(pieces[index]),
  });
}
