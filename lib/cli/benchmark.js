import { hostname } from 'node:os';
import { Clock } from '../meter/clock.js';
import { jsonReport } from '../report/json-report.js';
import { runBenchmark } from '../run/benchmark-run.js';
import { runFacts } from '../run/run-facts.js';
import { cleanUpByCommand, cleanupCommand } from './cleanup.js';
import { closingWords, exitStatus } from './closing-words.js';
import { ConsoleObserver } from './console-observer.js';
import { readCommandLine } from './options.js';
import { versionsOf } from './package-version.js';
import { ReportFile } from './report-file.js';
import { reportError } from './report-error.js';
import { makeRunId } from './run-id.js';
import { StopRequest } from './stop-request.js';
import { openTarget } from './target.js';
import { Terminal } from './terminal.js';

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
  const stopRequest = new StopRequest(streams);
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  const terminal = new Terminal({ ...streams, plain, onClosed: () => stopRequest.outputClosed() });
  try {
    const options = readCommandLine(argv, streams);
    const target = await openTarget(options, env, streams);
    // A clean-up has nothing to settle: a signal may end it at once, and it may be begun again.
    if (options.cleanup === undefined) {
      stopRequest.listen();
    }
    try {
      return await run({ options, target, terminal, stopRequest });
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
 * @param {import('./target.js').Target} parts.target
 * @param {Terminal} parts.terminal
 * @param {StopRequest} parts.stopRequest
 * @returns {Promise<number>} the exit status
 */
async function run({ options, target, terminal, stopRequest }) {
  const clock = new Clock();
  const world = { clock, random: Math.random, signal: stopRequest.signal };
  const config = runConfig(options, target.store, clock);
  const say = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  target.warnings.forEach((warning) => terminal.err(`warning: ${warning}`));
  if (options.cleanup !== undefined) {
    return cleanUpByCommand(config, { ...world, terminal });
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
  const versions = versionsOf(config.client);
  const facts = runFacts({ config, host: hostname(), startedAt: clock.epochNow(), versions });
  const observer = new ConsoleObserver({ terminal, config, facts, quiet: options.quiet, now: clock.now });

  try {
    const result = await runBenchmark(config, { ...world, observer });
    observer.runEnds(result.stages);
    const { notices, errors } = closingWords(result, config);
    notices.forEach(say);
    errors.forEach((error) => terminal.err(error));
    const status = exitStatus(result, stopRequest);
    reportFile?.write(jsonReport({ facts, result, exitStatus: status }));
    return result.crash === null ? status : reportError(result.crash, terminal);
  } finally {
    reportFile?.discard();
  }
}

/**
 * @param {import('./options.js').CommandLine} options
 * @param {import('../run/run-config.js').StoreConfig} store
 * @param {Clock} clock
 * @returns {import('../run/run-config.js').RunConfig}
 */
function runConfig(options, store, clock) {
  const runId = options.cleanup ?? options.runId ?? makeRunId(clock.epochNow(), Math.random);
  const isCleanup = options.cleanup !== undefined;
  const objects = isCleanup ? 0 : options.objects;
  const threads = isCleanup ? 1 : Math.min(options.threads, objects);
  return Object.freeze({ ...options, runId, store, objects, threads });
}
