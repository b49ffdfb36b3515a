import { hostname } from 'node:os';
import { Clock } from '../measure/clock/clock.js';
import { EVENT_NAMES } from '../result/event-names.js';
import { resultOf } from '../result/result-of-run.js';
import { readRunOptions } from '../options/read-options.js';
import { UsageError, inCode, refuseIfAny } from '../options/usage-error.js';
import { versionsOf } from '../store/object-store.js';
import { runBenchmark } from './benchmark-run.js';
import { noticesOfLoad, prepareRun } from './prepare-run.js';

/**
 * @import { GivenStore } from '../result/config.js'
 * @import { Result, RunResult } from '../result/result.js'
 * @import { RunObserver } from '../result/run-events.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Invocation } from '../options/store/environment.js'
 * @import { Target } from '../options/store/target.js'
 */

/**
 * @typedef {object} RunContext what a run gets besides its options
 * @property {AbortSignal} [signal] ends the run early: the run removes its objects and returns the results so far
 * @property {Partial<RunObserver>} [on] listeners by event; an error in one, or a rejected promise, ends the run
 * @property {Record<string, string | undefined>} [env] replaces `process.env`
 * @property {boolean} [ownsProcess] whether the process does nothing else; only then is its CPU time the run's
 * @property {Invocation} [invocation] how the user calls a program: problems then name the options of its command line
 * @property {Target} [target] a store that is open already, and stays open
 * @property {{ earlier: Result | null }} [turn] makes the run a turn of a comparison: it warms up, measures each stage for
 *   a minimum time, and takes over latencies and clock from an earlier turn of the same setting
 */

/**
 * Runs a benchmark and leaves the store as it was. It prints nothing, and runs can overlap.
 *
 * @param {Readonly<Record<string, unknown>>} options by name, with `store`, `objects` and `threads`
 * @param {RunContext} [context]
 * @returns {Promise<Result>}
 * @throws {UsageError} with every problem of the options, before any request is sent
 * @throws {RunError} if the store refuses the run, or an error ends it
 */
export async function run(options, context = {}) {
  return runWith(options, context).catch((error) => {
    throw error instanceof UsageError && context.invocation === undefined
      ? new UsageError(error.problems.map(inCode))
      : error;
  });
}

/**
 * @param {Readonly<Record<string, unknown>>} options
 * @param {RunContext} context
 */
async function runWith({ store, ...options }, context) {
  const { signal, on = {}, env = process.env, ownsProcess = false, invocation, target: open, turn } = context;
  const earlier = turn?.earlier ?? null;
  const clock = new Clock();
  const launchedAt = ownsProcess ? LAUNCHED_AT : clock.now();
  const values = readValues(options, store);
  const random = Math.random;
  const { target, config } = await prepareRun(values, {
    ...{ env, now: clock.epochNow(), random, invocation, signal },
    store: typeof store === 'object' ? /** @type {GivenStore} */ (store) : undefined,
    takesSnapshots: on.snapshot !== undefined,
    target: open,
    turn: turn && { isFirst: earlier === null },
  });
  const ending = new AbortController();
  /** The first error of a listener. @type {unknown} */
  let failure = null;
  /** Why the run's own store has failed. @type {Error | null} */
  let lost = null;
  const observer = observerOf(on, (error) => {
    failure ??= error ?? new Error('a listener failed without an Error');
    ending.abort();
  });
  try {
    const identity = { host: hostname(), versions: versionsOf(config.load.client) };
    observer.runIsReady({ config, identity, clock, variables: target.overrides });
    if (failure !== null) {
      throw failure;
    }
    target.warnings.forEach((warning) => observer.warning(warning));
    [...target.notices, ...noticesOfLoad(values, config)].forEach((notice) => observer.notice(notice));
    if (open === undefined) {
      target.renewal?.start({ epochNow: clock.epochNow, notice: (message) => observer.warning(message) });
    }
    target.failure?.catch((error) => {
      lost ??= error;
      observer.warning(error.message);
      ending.abort();
    });
    clock.watchPauses((message) => observer.warning(message));
    const ran = await runBenchmark(config, {
      clock,
      random,
      identity,
      observer,
      launchedAt,
      signal: signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]),
      credentials: target.renewal?.credentials,
      isShared: !ownsProcess,
      earlier,
    });
    ran.crash ??= failure;
    if (lost !== null) {
      ran.problems.push(/** @type {Error} */ (lost).message);
      ran.isTransient = true;
    }
    observer.runEnds(ran);
    ran.crash ??= failure;
    return concluded(ran);
  } finally {
    clock.close();
    await (open === undefined ? target.close() : undefined);
  }
}

/** Monotonic ms. Node's monotonic clock starts with the process. */
const LAUNCHED_AT = 0;

/**
 * @param {Readonly<Record<string, unknown>>} options
 * @param {unknown} store
 * @returns {OptionValues}
 * @throws {UsageError} with every problem
 */
function readValues(options, store) {
  const isKnown = store === 'local' || store === 'env' || (typeof store === 'object' && store !== null);
  const { values, problems } = readRunOptions({ ...options, ...(store === 'local' ? { local: true } : {}) });
  const all = [...(isKnown ? [] : ["store: expected 'local', 'env' or an object"]), ...problems];
  refuseIfAny(all);
  return values;
}

/**
 * @param {Partial<RunObserver>} on
 * @param {(error: unknown) => void} failed called if a listener throws, or its promise rejects
 * @returns {RunObserver} looks up the listener each time an event occurs
 */
function observerOf(on, failed) {
  const forward =
    (/** @type {keyof RunObserver} */ event) =>
    (/** @type {unknown[]} */ ...parameters) => {
      try {
        /** @type {any} */ (on)[event]?.(...parameters)?.then?.(undefined, failed);
      } catch (error) {
        failed(error);
      }
    };
  return /** @type {any} */ (Object.fromEntries(EVENT_NAMES.map((event) => [event, forward(event)])));
}

/**
 * @param {RunResult} ran
 * @returns {Result}
 * @throws {RunError} if it has problems
 */
function concluded(ran) {
  const result = resultOf(ran);
  if (result.problems.length > 0) {
    throw new RunError(result.problems, result, ran.crash ?? undefined);
  }
  return result;
}

/** Thrown if a run cannot begin or an error ends it early. Its objects have been removed as far as possible. */
export class RunError extends Error {
  /**
   * @param {readonly string[]} problems one line each
   * @param {Result} result results up to the error
   * @param {unknown} [cause] an unexpected error
   */
  constructor(problems, result, cause) {
    super(problems.join('\n'), cause === undefined ? {} : { cause });
    this.name = 'RunError';
    this.problems = problems;
    this.result = result;
  }
}
