import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Clock } from '../meter/clock.js';
import { jsonReport } from '../report/json-report.js';
import { runBenchmark } from '../run/benchmark-run.js';
import { cleanUpByCommand, cleanupCommand } from './cleanup.js';
import { closingWords, exitStatus } from './closing-words.js';
import { ConsoleObserver } from './console-observer.js';
import { EXIT } from './exit-status.js';
import { fileLimitProblem, openFileLimit } from './file-limit.js';
import { keepHeapSmall } from './heap.js';
import { readCommandLine } from './options.js';
import { versionsOf } from './package-version.js';
import { ReportFile } from './report-file.js';
import { reportError } from './report-error.js';
import { resolveConfig } from './resolve-config.js';
import { StopRequest } from './stop-request.js';
import { openTarget } from './target.js';
import { Terminal } from './terminal.js';
import { usableCores } from './usable-cores.js';
import { UsageError } from './usage-error.js';

/**
 * The process, or what stands in for it.
 *
 * @typedef {NodeJS.EventEmitter & Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit' | 'availableMemory'>} Streams
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
  const terminal = new Terminal({ ...streams, plain, onClosed: () => stopRequest.outputClosed() });
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
    const options = readCommandLine(argv, streams);
    const target = await openTarget(options, env, streams);
    // A clean-up has nothing to settle: a signal may end it at once, and it may be begun again.
    if (options.cleanup === undefined) {
      stopRequest.listen();
    }
    try {
      return await run({ options, env, target, terminal, stopRequest });
    } finally {
      stopRequest.stopListening();
      await target.close();
    }
  } catch (error) {
    return reportError(error, terminal);
  }
}

/**
 * @param {object} parts
 * @param {import('./options.js').CommandLine} parts.options
 * @param {NodeJS.ProcessEnv} parts.env
 * @param {import('./target.js').Target} parts.target
 * @param {Terminal} parts.terminal
 * @param {StopRequest} parts.stopRequest
 * @returns {Promise<number>} the exit status
 */
async function run({ options, env, target, terminal, stopRequest }) {
  const clock = new Clock();
  const world = { clock, random: Math.random, signal: stopRequest.signal };
  const now = clock.epochNow();
  const config = resolveConfig(options, {
    store: target.store,
    env,
    usableCores: usableCores(),
    now,
    random: world.random,
  });
  const say = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  target.warnings.forEach((warning) => terminal.err(`warning: ${warning}`));
  if (options.cleanup !== undefined) {
    return cleanUpByCommand(config, { ...world, terminal });
  }

  const problem = fileLimitProblem(config.threads, openFileLimit(process.report), options.local);
  if (problem !== null) {
    throw new UsageError([problem]);
  }
  const reportFile = options.json === undefined ? null : new ReportFile(options.json, '--json');
  stopRequest.onRequest = (reason) => say(`Stopping (${reason}): settling what is under way, then cleaning up`);
  stopRequest.onSecondSignal = () => {
    reportFile?.discard();
    terminal.err(`Objects may be left; remove them with: ${cleanupCommand(config)}`);
  };
  if (config.threads < options.threads) {
    say(
      `${options.threads} threads are more than the ${config.objects} objects have work for: ${config.threads} will do`,
    );
  }
  const identity = { host: hostname(), versions: versionsOf(config.client) };
  const observer = new ConsoleObserver({ terminal, config, quiet: options.quiet, now: clock.now });

  try {
    const result = await runBenchmark(config, { ...world, identity, observer });
    observer.runEnds(result.stages);
    const { notices, errors } = closingWords(result, config);
    notices.forEach(say);
    errors.forEach((error) => terminal.err(error));
    const status = exitStatus(result, stopRequest);
    const failure = reportFile?.write(jsonReport(result, status)) ?? null;
    if (failure !== null) {
      terminal.err(`error: ${failure}`);
    }
    if (result.crash !== null) {
      return reportError(result.crash, terminal);
    }
    return failure !== null && status === EXIT.complete ? EXIT.incomplete : status;
  } finally {
    observer.close();
    reportFile?.discard();
  }
}
