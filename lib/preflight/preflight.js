import { runPool } from '../engine/worker-pool.js';
import { BucketPreflight } from './bucket-preflight.js';
import { Findings } from './preflight-findings.js';

/**
 * @import { OpenRun } from '../run/open-run.js'
 * @import { RunConfig } from '../run/run-config.js'
 */

const KEPT_NOTICE =
  'Deleting was refused: the objects of the preflight stay with the kept ones, and the latency with one thread is not measured';

/**
 * @typedef {object} PreflightResult
 * @property {string[]} problems a line each; none where the run may begin
 * @property {boolean} mayPass whether all of them are troubles of the store, and none of them the user's
 * @property {string[]} notices
 */

/**
 * What preflight reports while it goes on.
 *
 * @typedef {object} PreflightHooks
 * @property {() => Promise<boolean>} mayWrite asked before an object is written
 * @property {(bucket: string, key: string) => Promise<void>} written one was written
 * @property {() => void} reached a bucket has answered as it should
 * @property {(action: string, milliseconds: number) => void} answered an operation had its answer at the first
 *   attempt
 */

/** @type {Readonly<PreflightHooks>} */
const NO_HOOKS = Object.freeze({ mayWrite: async () => true, written: async () => {}, reached() {}, answered() {} });

/**
 * Asks each bucket for an object that does not exist, which shows whether name, TLS, signature, clock and bucket are all
 * right, and then for what the run is going to do, on an object that is no stage's. Nothing of it stays: what could not
 * be removed is in `run.probes`. Only a run that keeps its objects, and may not remove any, keeps that one, too.
 *
 * @param {OpenRun} run
 * @param {RunConfig} config
 * @param {AbortSignal} signal
 * @param {Partial<PreflightHooks>} [hooks]
 * @returns {Promise<PreflightResult>}
 */
export async function preflight(run, config, signal, hooks) {
  const findings = new Findings();
  /** @type {Set<string>} */
  const missing = new Set();
  const { buckets } = config.store;
  const shared = { run, config, findings, missing, hooks: { ...NO_HOOKS, ...hooks } };
  let next = 0;
  if (config.preflight) {
    await runPool({
      threads: run.attendants,
      claim: () => (next < buckets.length && !signal.aborted ? next++ : -1),
      work(connection, place) {
        // Each listens to a signal of its own: more than ten listeners on one are taken for a leak, and warned of.
        const own = { ...shared, connection, signal: AbortSignal.any([signal]) };
        return new BucketPreflight(own, buckets[place]).run();
      },
    });
  }
  // What was under way when the run was stopped says nothing.
  const isOver = signal.aborted;
  return {
    problems: isOver ? [] : findings.lines(config.store, run.clock.epochNow()),
    mayPass: !isOver && findings.mayPass,
    notices: isOver ? [] : noticesOf(run, config, missing),
  };
}

/**
 * @param {OpenRun} run
 * @param {RunConfig} config
 * @param {ReadonlySet<string>} missing
 * @returns {string[]}
 */
function noticesOf({ mayRemove }, { runId }, missing) {
  return [...(missing.size > 0 ? [missingNotice(runId, missing)] : []), ...(mayRemove ? [] : [KEPT_NOTICE])];
}

/**
 * @param {string} runId
 * @param {ReadonlySet<string>} missing at least one
 */
function missingNotice(runId, missing) {
  return `Of run ${runId} there is no ${[...missing].join(', ')}: was it written with --keep, the same --prefix and the same buckets?`;
}
