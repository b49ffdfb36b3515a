import { Checks } from './checks.js';
import { checkCost } from './cost-limit.js';
import { fileLimitProblem, openFileLimit } from './file-limit.js';
import { LogFile } from './log-file.js';
import { ReportFile, STANDARD_OUTPUT } from './report-file.js';
import { resolveConfig } from './resolve-config.js';
import { openTarget } from './target.js';
import { availableCores } from './usable-cores.js';
import { UsageError } from './usage-error.js';

/**
 * @import { RunConfig } from '../run/run-config.js'
 * @import { Invocation } from './invocation.js'
 * @import { CommandLine } from './options.js'
 * @import { Target } from './target.js'
 */

/**
 * @typedef {object} Prepared
 * @property {Target} target
 * @property {RunConfig} config
 * @property {ReportFile | null} reportFile null also where the report goes to stdout
 * @property {LogFile | null} logFile
 * @property {() => Promise<void>} close
 */

/**
 * Makes ready what does not take the store: variables, limits of this host, the report's place. What is wrong with all of
 * them is told at once.
 *
 * @param {CommandLine} options
 * @param {object} world
 * @param {NodeJS.ProcessEnv} world.env
 * @param {Pick<NodeJS.Process, 'availableMemory'>} world.process
 * @param {number} world.now epoch ms
 * @param {() => number} world.random uniform in [0, 1)
 * @param {Invocation} world.invocation
 * @returns {Promise<Prepared>}
 * @throws {UsageError} with every problem
 */
export async function prepare(options, { env, process: host, now, random, invocation }) {
  const checks = new Checks();
  const target = await checks.run(() => openTarget(options, env, host, invocation));
  const isRun = options.cleanup === undefined && !options.list;
  const { json, log, logAppend } = options;
  const reportFile =
    isRun && json !== undefined && json !== STANDARD_OUTPUT
      ? await checks.run(() => new ReportFile(json, '--json'))
      : null;
  const logFile = isRun && log !== undefined ? await checks.run(() => new LogFile(log, { append: logAppend })) : null;
  const close = async () => {
    reportFile?.discard();
    logFile?.close();
    await target?.close();
  };
  try {
    const checked = await checks.run(() => {
      // Without a store there is no run, but there may be more to say.
      const store = /** @type {Target} */ (target)?.store;
      const config = resolveConfig(options, { store, env, availableCores: availableCores(), now, random });
      return Object.freeze({ ...config, overrides: target?.overrides, command: invocation.benchmark });
    });
    if (isRun) {
      await checks.run(() => checkFileLimit(checked ?? { threads: options.threads, cores: 1 }));
      await checks.run(() => checked && checkCost(checked));
    }
    checks.conclude();
    return /** @type {Prepared} */ ({ target, config: checked, reportFile, logFile, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {{ threads: number, cores: number }} run
 * @throws {UsageError} where the host does not give it enough files
 */
function checkFileLimit(run) {
  const problem = fileLimitProblem(run, openFileLimit(process.report));
  if (problem !== null) {
    throw new UsageError([problem]);
  }
}
