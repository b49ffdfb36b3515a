import { dollarsOf } from '../cost/prices.js';
import { availableCores } from '../host/cpu-quota.js';
import { openFileLimit } from '../host/open-file-limit.js';
import { multipartOf, resolve } from '../options/resolve.js';
import { Checks, UsageError } from '../options/usage-error.js';
import { openTarget } from '../store/target.js';
import { fileLimitProblem } from './file-limit.js';

/**
 * @import { Config, GivenStore, StoreConfig } from '../model/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Invocation } from '../store/hint.js'
 * @import { Target } from '../store/target.js'
 */

/**
 * Prepares everything that a run needs before its first request: a store, a configuration and enough open files.
 *
 * @param {OptionValues} given
 * @param {object} deps
 * @param {NodeJS.ProcessEnv} deps.env
 * @param {number} deps.now epoch ms
 * @param {() => number} deps.random uniform in [0, 1)
 * @param {Invocation} [deps.invocation] see hintFor
 * @param {boolean} deps.takesSnapshots see OutputConfig
 * @param {readonly string[]} [deps.problems] that the calling program found
 * @param {GivenStore} [deps.store] overrides the store from the options and the environment
 * @param {AbortSignal} [deps.signal] see openTarget
 * @returns {Promise<{ target: Target, config: Config }>} the caller must close the target
 * @throws {UsageError} with every problem
 */
export async function prepareRun(given, { env, now, random, takesSnapshots, problems = [], ...context }) {
  const checks = new Checks();
  const options = given.replay === undefined ? given : await trafficOf(given, env);
  const target = await checks.run(() => openTarget(options, env, context));
  checks.add(...problems);
  try {
    const resolved = await configOf(options, { target, env, now, random, takesSnapshots }, checks);
    const { threads } = options;
    await checks.run(() => checkFileLimit(resolved?.load ?? { threads, cores: 1, multipart: multipartOf(options) }));
    const config = withStore(resolved);
    await checks.run(() => config && checkCost(config));
    await checks.run(() => config && checkBatches(config));
    checks.conclude();
    return /** @type {{ target: Target, config: Config }} */ ({ target, config });
  } catch (error) {
    await target?.close();
    throw error;
  }
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
 * @param {OptionValues} options
 * @param {{ target: Target | null, env: NodeJS.ProcessEnv, now: number, random: () => number, passes?: number,
 *   takesSnapshots?: boolean }} context `target` is null if it has problems; for the others see resolve
 * @param {Checks} checks
 * @returns {Promise<Unstored | null>} null if there are problems, which are added to `checks`
 *
 * @typedef {Omit<Config, 'store'> & { store: StoreConfig | null }} Unstored
 */
export function configOf(options, { target, ...context }, checks) {
  const store = target?.store ?? null;
  return checks.run(() => resolve(options, { store, availableCores: availableCores(), ...context }));
}

/** The configuration if it has a store, otherwise null. @param {Unstored | null} config */
export function withStore(config) {
  return config?.store ? /** @type {Config} */ (config) : null;
}

/**
 * @param {Parameters<typeof fileLimitProblem>[0]} run
 * @throws {UsageError} if the run needs more open files than the host allows
 */
export function checkFileLimit(run) {
  const problem = fileLimitProblem(run, openFileLimit(process.report));
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
function checkCost(config) {
  const { maxCost = Infinity, duration } = config.schedule;
  const dollars = config.search === null && duration === undefined ? dollarsOf(config) : 0;
  if (dollars > maxCost) {
    throw new UsageError([
      `--max-cost: the run would cost $${dollars.toFixed(4)} at R2's list prices, more than $${maxCost}: raise the limit or use fewer <objects>`,
    ]);
  }
}
