import { dollarsOf } from '../cost/prices.js';
import { availableCores } from '../host/cpu-quota.js';
import { fileLimitProblem } from '../run/file-limit.js';
import { openFileLimit } from '../host/open-file-limit.js';
import { laterOf } from './later-commands.js';
import { load } from './load.js';
import { assertedRun } from './command-line.js';
import { readGuard } from './guard.js';
import { LogFile } from './output-file.js';
import { checkBuckets, multipartOf, resolve } from '../options/resolve.js';
import { openResults } from './result-files.js';
import { openTarget } from '../store/target.js';
import { Checks, UsageError } from '../options/usage-error.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { StoreConfig } from '../model/config.js'
 * @import { Invocation } from '../store/hint.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Guard } from './guard.js'
 * @import { Later } from './later-commands.js'
 * @import { ResultOutput } from './result-files.js'
 * @import { Target } from '../store/target.js'
 * @import { Outlets } from '../telemetry/telemetry.js'
 */

/**
 * @typedef {object} Prepared
 * @property {Target} target
 * @property {Config} config
 * @property {Later} later
 * @property {readonly ResultOutput[]} results
 * @property {LogFile | null} logFile
 * @property {Guard} guard
 * @property {Outlets | null} outlets of metrics and spans; null where nobody asked for them
 * @property {() => Promise<void>} close
 */

/** @type {Guard} */
const NO_GUARD = { thresholds: [], baseline: null, warnings: [] };

/**
 * Makes ready what does not take the store: variables, limits of this host, the files of results. All problems are
 * reported at once.
 *
 * @param {CommandLine} options
 * @param {object} context
 * @param {NodeJS.ProcessEnv} context.env
 * @param {Pick<NodeJS.Process, 'availableMemory'>} context.process
 * @param {number} context.now epoch ms
 * @param {() => number} context.random uniform in [0, 1)
 * @param {Invocation} context.invocation
 * @returns {Promise<Prepared>}
 * @throws {UsageError} with every problem
 */
export async function prepare(options, { env, process: host, now, random, invocation }) {
  const checks = new Checks();
  const target = await checks.run(() => openTarget(options, env, host, invocation));
  const isRun = options.cleanup === undefined && !options.list;
  const { log, logAppend } = options;
  const guard = isRun ? await checks.run(() => readGuard(options, assertedRun(options))) : NO_GUARD;
  const results = isRun ? await openResults(options.results, checks) : [];
  const logFile = isRun && log !== undefined ? await checks.run(() => new LogFile(log, { append: logAppend })) : null;
  const outlets = isRun && showsMetrics(options) ? await openOutletsOf(options, env, checks) : null;
  const close = async () => {
    results.forEach(({ file }) => file?.discard());
    logFile?.close();
    await outlets?.server?.close();
    await target?.close();
  };
  try {
    const resolved = await configOf(options, { target, env, now, random }, checks);
    const config = withStore(resolved);
    if (isRun) {
      await checks.run(() => target && checkBuckets(options, target.store));
      await checks.run(() =>
        checkFileLimit(resolved?.load ?? { threads: options.threads, cores: 1, multipart: multipartOf(options) }),
      );
      await checks.run(() => config && checkCost(config));
    }
    checks.conclude();
    const later = laterOf(options, target, invocation);
    return /** @type {Prepared} */ ({ target, config, later, results, logFile, guard, outlets, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {CommandLine} options
 * @param {object} context
 * @param {Target | null} context.target null if it has problems
 * @param {NodeJS.ProcessEnv} context.env
 * @param {number} context.now epoch ms
 * @param {() => number} context.random uniform in [0, 1)
 * @param {number} [context.passes] see resolve
 * @param {Checks} checks
 * @returns {Promise<Unstored | null>} null if there are problems, which are in the checks
 *
 * @typedef {Omit<Config, 'store'> & { store: StoreConfig | null }} Unstored
 */
export function configOf(options, { target, env, now, random, passes }, checks) {
  const context = { store: target?.store ?? null, env, availableCores: availableCores(), now, random, passes };
  return checks.run(() => resolve(options, context));
}

/**
 * @param {Unstored | null} config
 * @returns {Config | null} null if there is no store
 */
export function withStore(config) {
  return config?.store ? /** @type {Config} */ (config) : null;
}

/** @param {CommandLine} options */
function showsMetrics({ otlp, otlpUrl, metricsPort }) {
  return otlp || otlpUrl !== undefined || metricsPort !== undefined;
}

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Checks} checks
 * @returns {Promise<Outlets>}
 */
async function openOutletsOf(options, env, checks) {
  // A run that nobody watches does not load servers and clients of HTTP.
  const { openOutlets } = await load(() => import('./telemetry.js'));
  return openOutlets(options, env, checks);
}

/**
 * @param {Parameters<typeof fileLimitProblem>[0]} run
 * @throws {UsageError} where the host does not give it enough files
 */
export function checkFileLimit(run) {
  const problem = fileLimitProblem(run, openFileLimit(process.report));
  if (problem !== null) {
    throw new UsageError([problem]);
  }
}

/**
 * @param {Config} config
 * @throws {UsageError} if the run would cost more than it may; a search, and stages with a duration, see to that themselves
 */
function checkCost(config) {
  const { maxCost = Infinity, duration } = config.schedule;
  const dollars = config.search === null && duration === undefined ? dollarsOf(config) : 0;
  if (dollars > maxCost) {
    throw new UsageError([
      `--max-cost: the run costs $${dollars.toFixed(4)} at R2's list prices, expected fewer <objects> or at least that much, got $${maxCost}`,
    ]);
  }
}
