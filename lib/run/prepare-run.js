import { dollarsOf } from './prices.js';
import { availableCores, openFileLimit } from '../measure/host/limits.js';
import { connectionsFor } from '../load/operations/multipart.js';
import { multipartOf, resolve } from '../options/resolve.js';
import { Checks, UsageError } from '../options/usage-error.js';
import { counted, rounded } from '../text/figures.js';
import { openTarget } from '../options/store/target.js';

/**
 * @import { Config, GivenStore, MultipartConfig } from '../result/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Invocation } from '../options/store/environment.js'
 * @import { Target } from '../options/store/target.js'
 */

/**
 * Prepares everything that a run, a turn or a command on a run's objects needs before its first request: a store, a
 * configuration and enough open files.
 *
 * @param {OptionValues} asked
 * @param {object} deps
 * @param {NodeJS.ProcessEnv} deps.env
 * @param {number} deps.now epoch ms
 * @param {() => number} deps.random uniform in [0, 1)
 * @param {Invocation} [deps.invocation] see hintFor
 * @param {boolean} [deps.takesSnapshots] see OutputConfig
 * @param {{ isFirst: boolean }} [deps.turn] see resolve
 * @param {GivenStore} [deps.store] overrides the store from the options and the environment
 * @param {AbortSignal} [deps.signal] see openTarget
 * @param {Target} [deps.target] that is already open
 * @returns {Promise<{ target: Target, config: Config }>} the caller must close the target
 * @throws {UsageError} with every problem
 */
export async function prepareRun(asked, { env, now, random, takesSnapshots, turn, target: given, ...context }) {
  const checks = new Checks();
  const options = asked.replay === undefined ? asked : await trafficOf(asked, env);
  const target = given ?? (await checks.run(() => openTarget(options, env, context)));
  try {
    const store = target?.store ?? null;
    const resolving = { store, env, now, random, turn, takesSnapshots, availableCores: availableCores() };
    const config = await checks.run(() => resolve(options, resolving));
    const { threads = 1 } = options;
    await checks.run(() =>
      checkFileLimit(config?.load ?? { threads, cores: 1, multipart: multipartOf(options) }, config?.store),
    );
    if (config?.store) {
      await checks.run(() => checkCost(/** @type {Config} */ (config)));
      await checks.run(() => checkBatches(/** @type {Config} */ (config)));
    }
    checks.conclude();
    return /** @type {{ target: Target, config: Config }} */ ({ target, config });
  } catch (error) {
    await (given === undefined ? target?.close() : undefined);
    throw error;
  }
}

/**
 * @param {{ threads: number }} options
 * @param {Config} config
 * @returns {string[]} how the load differs from what the user asked for
 */
export function noticesOfLoad({ threads }, { objects, load: { threads: used } }) {
  return threads > objects.count && used < threads
    ? [`${threads} threads are more than ${rounded(objects.count)} objects need; using ${used}`]
    : [];
}

/**
 * Loaded only for a replay.
 *
 * @param {OptionValues} given
 * @param {NodeJS.ProcessEnv} env
 */
async function trafficOf(given, env) {
  const { readTraffic } = await import('./read-traffic.js');
  return (await readTraffic(given, env)).options;
}

/**
 * @param {Parameters<typeof fileLimitProblem>[0]} run
 * @param {Config['store'] | null} [store]
 * @throws {UsageError} if the run needs more open files than the host allows
 */
export function checkFileLimit(run, store) {
  const { publicUrl, buckets = [] } = store ?? {};
  const publicHosts = publicUrl === undefined ? 0 : publicUrl.hostname.includes('{bucket}') ? buckets.length : 1;
  const problem = fileLimitProblem({ ...run, publicHosts }, openFileLimit(process.report));
  if (problem !== null) {
    throw new UsageError([problem]);
  }
}

/**
 * @param {Config} config
 * @throws {UsageError} if one request of a replay would remove objects of several buckets
 */
function checkBatches({ store: { buckets }, load: { replay, mix = [] } }) {
  if (replay !== undefined && buckets.length > 1 && mix.some(({ operation }) => operation === 'batch-remove')) {
    throw new UsageError([
      'replay: the log has batch removals, which need all objects in one bucket: use one --bucket',
    ]);
  }
}

/**
 * @param {Config} config
 * @throws {UsageError} if the run would cost too much; searches and stages with a duration enforce the limit as they
 *   run
 */
export function checkCost(config) {
  const { maxCost = Infinity, duration } = config.schedule;
  const isBound = config.search === null || config.load.replay !== undefined;
  const dollars = isBound && duration === undefined ? dollarsOf(config) : 0;
  if (dollars > maxCost) {
    throw new UsageError([
      `--max-cost: the run would cost $${dollars.toFixed(4)} at R2's list prices, more than $${maxCost}: raise the limit or ${config.load.replay === undefined ? 'use fewer <objects>' : 'replay less with --for or --limit'}`,
    ]);
  }
}

/** Open files other than connections: modules, pipes and files of the event loops. */
const OTHER_FILES = 64;

/** Files opened by the event loop of each worker thread, counted on Linux: four by Node 20, five by Node 26. */
const FILES_PER_WORKER = 5;

/**
 * @param {{ threads: number, cores: number, multipart?: MultipartConfig, publicHosts?: number }} run each thread has one
 *   connection, or several with multipart, and as many to each host of a public URL
 * @param {number} limit of open files
 * @returns {string | null} the problem, or null if the limit is high enough
 */
export function fileLimitProblem({ threads, cores, multipart, publicHosts = 0 }, limit) {
  // With one core, the only worker runs in the main thread.
  const ofCores = cores === 1 ? 0 : cores * FILES_PER_WORKER;
  const needed = connectionsFor({ threads, multipart }) * (1 + publicHosts) + ofCores + OTHER_FILES;
  if (needed <= limit) {
    return null;
  }
  return `${threads} threads on ${counted(cores, 'core')} need ${needed} open files, but the hard limit is ${limit}: raise it with \`ulimit -n ${needed}\` (as root, or in /etc/security/limits.conf) in the shell that starts the run, or use fewer threads`;
}
