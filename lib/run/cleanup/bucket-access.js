import { setTimeout as wait } from 'node:timers/promises';
import { runPool } from '../../load/run-pool.js';
import { ABANDONED } from '../../result/counters.js';
import { BucketAdmin, LIST_START, listPositionAfter } from '../../store/bucket-admin.js';
import { Pauses, Retrier } from '../../store/retry.js';
import { AttemptError, NO_UPLOAD, protocolError } from '../../store/s3-error.js';

/**
 * @import { Clock } from '../../measure/clock/clock.js'
 * @import { RequestCounts } from '../../result/result.js'
 * @import { ListPosition, ListedObject, ListedUpload, ListedVersion } from '../../store/bucket-admin.js'
 * @import { StoreOptions } from '../../store/object-store.js'
 * @import { WalkOptions } from './cleanup.js'
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
 * @param {object} options.run
 * @param {StoreOptions} options.run.controlOptions
 * @param {Clock} options.run.clock
 * @param {() => number} options.run.random uniform in [0, 1)
 * @param {RequestCounts} options.run.requests counters to update
 * @param {number} options.timeout the value of `--timeout` in ms
 * @param {(silence: number) => void} [options.onCheck] called at the start and then
 *   periodically, with the ms since the last successful request
 * @param {keyof RequestCounts} [options.countAs]
 * @param {number} [options.maxAttempts] per request
 * @param {AbortSignal} [options.signal] abandons the work
 * @param {(access: BucketAccess) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withBucketAccess(options, work) {
  const { run, timeout, onCheck = () => {}, countAs = 'cleanup', maxAttempts = MAX_ATTEMPTS } = options;
  const { clock, random, requests } = run;
  onCheck(0);
  // Each access gets its own signal, because Node warns about a leak if a signal has more than ten listeners.
  const signal = options.signal && AbortSignal.any([options.signal]);
  const end = new AbortController();
  const pauses = new Pauses();
  const attemptTimeout = Math.min(Math.max(timeout, MIN_TIMEOUT_MS), MAX_ATTEMPT_TIMEOUT_MS);
  const admin = new BucketAdmin(run.controlOptions, attemptTimeout, end.signal);
  const giveUp = (/** @type {AttemptError} */ error) => {
    end.abort(error);
    pauses.endAll();
  };
  const stop = () => giveUp(new AttemptError({ kind: ABANDONED, handling: 'fail', message: 'the run was stopped' }));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) {
    stop();
  }
  const retrier = new Retrier({ maxAttempts, now: clock.now, random, pauses, signal: end.signal });
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

export const KEY_DIGITS = [...'0123456789abcdef'];

/** What precedes the keys of the digits that foreign keys may follow. @type {Readonly<Record<string, string>>} */
const NEAR = { 9: '8~', f: 'e~' };

/** Follows all keys. */
const LAST_KEY = '\uffff';

/** A list is given up after this many pages in a row without progress. */
const MAX_FRUITLESS_PAGES = 100;
const FRUITLESS_PAUSE_MS = 20;

/** Status code of a store that cannot list uploads. */
const NOT_IMPLEMENTED = 501;

/**
 * @template {{ next: ListPosition | null }} Page
 * @param {string} bucket
 * @param {(position: ListPosition) => Promise<Page>} request
 * @param {() => boolean} [isFruitful] whether the page that was taken last shows anything relevant
 * @param {ListPosition} [from]
 * @returns {AsyncGenerator<Page>} to the end of the list
 * @throws {AttemptError} if too many pages in a row show nothing relevant
 */
export async function* pagesOf(bucket, request, isFruitful = () => true, from = LIST_START) {
  let fruitless = 0;
  for (let position = /** @type {ListPosition | null} */ (from); position !== null;) {
    const page = await request(position);
    yield page;
    const { next } = page;
    // A key can have any number of versions and uploads, so only a later key counts as progress.
    fruitless = next === null || (isFruitful() && next.after > position.after) ? 0 : fruitless + 1;
    if (fruitless > MAX_FRUITLESS_PAGES) {
      throw protocolError(
        `the list of bucket ${bucket} continues after ${MAX_FRUITLESS_PAGES} pages in a row without anything relevant`,
      );
    }
    if (fruitless > 0) {
      await wait(FRUITLESS_PAUSE_MS);
    }
    position = next;
  }
}

/**
 * @typedef {object} KeyRange a part of a bucket's keys that is listed separately
 * @property {string} bucket
 * @property {string} prefix of all keys
 * @property {ListPosition} [from] the start of the first page
 * @property {string} [start] inclusive lower bound
 * @property {string} [end] exclusive upper bound
 */

/**
 * Splits the rest of a run's keys by their first digit, into ranges that can be listed concurrently. Foreign keys may
 * sort after the digits 9 and f, so these two ranges have no prefix of their own, but begin near their first key. If the
 * store begins at the first key of all instead, they skip what precedes them.
 *
 * @param {string} bucket
 * @param {string} keyPrefix of a run
 * @param {ListPosition} position after the first page
 * @returns {KeyRange[]}
 */
export function rangesAfter(bucket, keyPrefix, position) {
  const starts = KEY_DIGITS.map((digit) => keyPrefix + digit).filter((start) => start > position.after);
  const ranges = starts.map((start, index) => {
    const before = NEAR[start.slice(keyPrefix.length)];
    const list =
      before === undefined ? { prefix: start } : { prefix: keyPrefix, from: listPositionAfter(keyPrefix + before) };
    return { bucket, ...list, start, end: starts[index + 1] };
  });
  return [{ bucket, prefix: keyPrefix, from: position, end: starts[0] }, ...ranges];
}

/**
 * @param {KeyRange} range
 * @param {BucketAccess} access
 * @param {(bucket: string, inside: ListedObject[], page: ListedObject[]) => Promise<boolean>} visit gets the objects of a
 *   page that are in the range, and all of them; resolves to whether the page contains relevant objects
 */
export async function walkRange({ bucket, prefix, from, start = '', end = LAST_KEY }, { admin, retry }, visit) {
  let isFruitful = false;
  const request = (/** @type {ListPosition} */ position) => retry(() => admin.listPage(bucket, prefix, position));
  for await (const { objects } of pagesOf(bucket, request, () => isFruitful, from)) {
    const inside = objects.filter(({ key }) => key >= start && key < end);
    isFruitful = await visit(bucket, inside, objects);
    if (objects.some(({ key }) => key >= end)) {
      return;
    }
  }
}

/**
 * @param {WalkOptions & { versioned: ReadonlySet<string> }} options
 * @param {(bucket: string, own: ListedVersion[]) => Promise<void>} visit gets a page of the run's versions
 */
export async function walkVersions({ admin, retry, keyspace, owns, versioned }, visit) {
  const buckets = keyspace.buckets.filter((bucket) => versioned.has(bucket));
  await inParallel(buckets, async (bucket) => {
    let isFruitful = false;
    let last = '';
    const request = (/** @type {ListPosition} */ from) =>
      retry(() => admin.listVersionsPage(bucket, keyspace.keyPrefix, from));
    for await (const { versions, next } of pagesOf(bucket, request, () => isFruitful)) {
      const named = versions.flatMap((version) => {
        const name = keyspace.recognise(bucket, version.key);
        // Another version of the previous page's last key is not an object: it became the latest version only because
        // the object was removed.
        const isObject = version.isObject && version.key !== last;
        return name === null ? [] : [{ version: { ...version, isObject }, name }];
      });
      await visit(
        bucket,
        named.filter(({ name }) => owns(name)).map(({ version }) => version),
      );
      isFruitful = named.length > 0;
      last = next?.after ?? '';
    }
  });
}

/**
 * Walks the uploads of a bucket under a prefix. MinIO can list all uploads, or those of one key, but not those under a
 * prefix. So if the list under the prefix is empty, this walks all uploads.
 *
 * @param {BucketAccess} access
 * @param {string} bucket
 * @param {string} prefix
 * @param {(uploads: readonly ListedUpload[]) => boolean} visit gets a page's uploads under the prefix; returns whether
 *   any of them is relevant
 * @returns {Promise<boolean>} false if the store cannot list uploads
 */
export async function walkUploads({ admin, retry }, bucket, prefix, visit) {
  const walk = async (/** @type {string} */ listed) => {
    let isShown = false;
    let isFruitful = false;
    const request = (/** @type {ListPosition} */ from) => retry(() => admin.listUploadsPage(bucket, listed, from));
    for await (const { uploads } of pagesOf(bucket, request, () => isFruitful)) {
      isShown ||= uploads.length > 0;
      isFruitful = visit(uploads.filter(({ key }) => key.startsWith(prefix)));
    }
    return isShown;
  };
  try {
    if (!(await walk(prefix))) {
      await walk('');
    }
    return true;
  } catch (error) {
    if (!(error instanceof AttemptError)) {
      throw error;
    }
    if (error.status === NOT_IMPLEMENTED || error.code === 'NotImplemented') {
      return false;
    }
    // Some stores answer so until the bucket has had an upload.
    if (error.kind === NO_UPLOAD) {
      return true;
    }
    throw error;
  }
}
