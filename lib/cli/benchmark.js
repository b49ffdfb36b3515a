import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '../clock/clock.js';
import { jsonReport } from '../report/json-report.js';
import { runBenchmark } from '../run/benchmark-run.js';
import { compareWithCalibration } from './calibrate-comparison.js';
import { calibrate } from './calibrate.js';
import { cleanUpByCommand, cleanupCommand } from './cleanup.js';
import { closingWords, exitStatus } from './closing-words.js';
import { ConsoleObserver } from './console-observer.js';
import { EXIT } from './exit-status.js';
import { keepHeapSmall } from './heap.js';
import { writeExample } from './init.js';
import { invocationOf } from './invocation.js';
import { listRunsByCommand } from './list-runs.js';
import { readCommandLine } from './options.js';
import { versionsOf } from './package-version.js';
import { prepare } from './prepare.js';
import { STANDARD_OUTPUT } from './report-file.js';
import { reportError } from './report-error.js';
import { StopRequest } from './stop-request.js';
import { Terminal } from './terminal.js';
import { usableCores } from './usable-cores.js';

/**
 * @import { CommandWorld } from './cleanup.js'
 * @import { CommandLine } from './options.js'
 * @import { Prepared } from './prepare.js'
 */

/** Node counts its monotonic time from the start of the process. ms */
const LAUNCHED_AT = 0;

/**
 * The process, or what stands in for it.
 *
 * @typedef {NodeJS.EventEmitter & Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit' | 'availableMemory' | 'argv' | 'cwd'>} Streams
 */

/**
 * Runs the benchmark that the command line asks for.
 *
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 * @returns {Promise<number>} the exit status
 */
export async function main(argv, env, streams) {
  // Which Node the SDK is going to drop is no news for whoever runs a benchmark.
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  keepHeapSmall();
  const stopRequest = new StopRequest(streams);
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  const terminal = new Terminal({ ...streams, plain, onLost: (isClosed) => stopRequest.outputLost(isClosed) });
  stopRequest.catchDefects((error) => reportError(error, terminal, isDebugging(env)));
  const status = await runProgram(argv, env, streams, terminal, stopRequest);
  // A closed output makes itself known only after the line that it refuses.
  await nextTurn();
  return stopRequest.status ?? status;
}

/**
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 * @param {Terminal} terminal
 * @param {StopRequest} stopRequest
 * @returns {Promise<number>} the exit status
 */
async function runProgram(argv, env, streams, terminal, stopRequest) {
  try {
    const invocation = invocationOf(streams, env);
    const options = readCommandLine(argv, streams, invocation);
    if (options.init !== undefined) {
      terminal.out(writeExample(options.init, invocation));
      return EXIT.complete;
    }
    if (options.calibrate) {
      stopRequest.listen();
      const world = { env, terminal, signal: stopRequest.signal };
      return await calibrate(options, world).finally(() => stopRequest.stopListening());
    }
    const clock = new Clock();
    const world = { clock, random: Math.random, signal: stopRequest.signal, terminal, quiet: options.quiet };
    const now = clock.epochNow();
    const prepared = await prepare(options, { env, process: streams, now, random: world.random, invocation });
    const { target, config } = prepared;
    target.warnings.forEach((warning) => terminal.err(`warning: ${warning}`));
    try {
      // A clean-up has nothing to settle: a signal may end it at once, and it may be begun again.
      if (options.cleanup !== undefined) {
        return await cleanUpByCommand(config, world);
      }
      if (options.list) {
        return await listRunsByCommand(config, world);
      }
      stopRequest.listen();
      return await run({ options, env, prepared, world, stopRequest });
    } finally {
      stopRequest.stopListening();
      await prepared.close();
    }
  } catch (error) {
    return reportError(error, terminal, isDebugging(env));
  }
}

/** @param {NodeJS.ProcessEnv} env */
function isDebugging(env) {
  return env.R2_BENCHMARK_DEBUG === '1';
}

/**
 * @param {object} parts
 * @param {CommandLine} parts.options
 * @param {NodeJS.ProcessEnv} parts.env
 * @param {Prepared} parts.prepared
 * @param {CommandWorld} parts.world
 * @param {StopRequest} parts.stopRequest
 * @returns {Promise<number>} the exit status
 */
async function run({ options, env, prepared: { target, config, reportFile, logFile }, world, stopRequest }) {
  const { clock, terminal } = world;
  const say = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  stopRequest.onRequest = (reason) => say(`Stopping (${reason}): settling what is under way, then cleaning up`);
  stopRequest.onSecondSignal = () => {
    reportFile?.discard();
    logFile?.close();
    if (!config.store.isEmbedded) {
      terminal.err(`Objects may be left; remove them with: ${cleanupCommand(config)}`);
    }
  };
  target.failure?.catch((error) => {
    terminal.err(`error: ${error.message}`);
    stopRequest.storeLost(error);
  });
  if (config.threads < options.threads) {
    say(
      `${options.threads} threads are more than the ${config.objects} objects have work for: ${config.threads} will do`,
    );
  }
  const identity = { host: hostname(), versions: versionsOf(config.client) };
  const stdoutIsTaken = options.json === STANDARD_OUTPUT;
  const observer = new ConsoleObserver({
    terminal,
    config,
    quiet: options.quiet,
    logFile,
    stdoutIsTaken,
    now: clock.now,
  });
  if (logFile !== null) {
    logFile.onFailure = (problem) => terminal.err(`error: ${problem}; the log ends there, and the run goes on`);
  }

  try {
    const result = await runBenchmark(config, { ...world, identity, observer, launchedAt: LAUNCHED_AT });
    observer.runEnds(result.stages);
    const { notices, errors } = closingWords(result, config);
    notices.forEach(say);
    errors.forEach((error) => terminal.err(error));
    const host = { identity, env, platform: process.platform, usableCores: usableCores() };
    const { stages, notices: shares, warnings } = compareWithCalibration(result.stages, config, host);
    shares.forEach(say);
    warnings.forEach((warning) => terminal.err(warning));
    const outcome = exitStatus(result, stopRequest);
    const status = outcome === EXIT.complete && logFile?.hasFailed ? EXIT.incomplete : outcome;
    const crash = result.crash ?? stopRequest.defect;
    const report = jsonReport({ ...result, stages, crash }, status);
    if (stdoutIsTaken) {
      // There is nothing left to stop where nobody reads it.
      stopRequest.onRequest = () => {};
      await terminal.report(report);
    }
    const failure = reportFile?.write(report) ?? null;
    if (failure !== null) {
      terminal.err(`error: ${failure}`);
    }
    if (result.crash !== null) {
      reportError(result.crash, terminal, isDebugging(env));
    }
    return failure !== null && status === EXIT.complete ? EXIT.incomplete : status;
  } finally {
    observer.close();
  }
}
