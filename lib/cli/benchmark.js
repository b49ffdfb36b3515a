import { run, RunError } from '../index.js';
import { resultOf } from '../result/result-of-run.js';
import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';
import { openListeners } from '../report/reporters.js';
import { closingMessages, exitStatus } from './closing-messages.js';
import { EXIT } from './exit-status.js';
import { judge, readGuard, statusWith, thresholdLines } from './guard.js';
import { laterOf, whatMayRemain } from './later-commands.js';
import { load } from './start.js';
import { reportError } from './report-error.js';
import { LogFile, openResults, writeResults } from './output-file.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { RunResult } from '../result/result.js'
 * @import { ReadyRun, RunObserver } from '../result/run-events.js'
 * @import { Listener } from '../report/reporter.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Guard } from './guard.js'
 * @import { Later } from './later-commands.js'
 * @import { Program } from './main.js'
 * @import { ResultOutput } from './output-file.js'
 * @import { Outlets } from './telemetry.js'
 *
 * @typedef {{ config: Config, later: Later, listeners: Required<Listener> }} Begun
 *
 * @typedef {(ran: RunResult, config: Config, later: Later) => readonly string[]} Closing notices at the end of a run
 *
 * @typedef {object} Outputs
 * @property {readonly string[]} problems why the run cannot start
 * @property {Guard | null} guard
 * @property {readonly ResultOutput[]} results
 * @property {LogFile | null} logFile
 * @property {Outlets | null} outlets of metrics; null if none were requested
 */

/**
 * Runs the benchmark, reports its progress and result, and checks the result against the --assert limits.
 *
 * @param {CommandLine} options
 * @param {Program} program
 * @param {Closing} [closing]
 * @returns {Promise<number>} the exit status
 */
export async function runByCommand(options, program, closing = () => []) {
  const { env, invocation, stopRequest, terminal } = program;
  const outputs = await openOutputs(options, env);
  const { problems, results, logFile, outlets } = outputs;
  const notify = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  const discard = () => {
    results.forEach(({ file }) => file?.discard());
    logFile?.close();
  };
  stopRequest.onEndAtOnce = discard;
  /** @type {{ begun: Begun | null, ran: RunResult | null, settled: number | null }} `settled`: the exit status */
  const state = { begun: null, ran: null, settled: null };
  /** @type {Partial<RunObserver>} */
  const on = {
    ...(outlets === null ? {} : { snapshot() {} }),
    runIsReady(ready) {
      refuseIfAny(problems);
      const later = laterOf(options, ready.variables, invocation);
      watchForStop(program, ready, { notify, later, discard });
      if (logFile !== null) {
        logFile.onFailure = (problem) => terminal.err(`error: ${problem}; the log ends there, and the run continues`);
      }
      outlets?.notices.forEach(notify);
      const listeners = listenersOf(options, outputs, program, ready);
      state.begun = { config: ready.config, later, listeners };
      Object.assign(on, listeners, {
        runEnds(/** @type {RunResult} */ result) {
          state.ran = result;
          listeners.runEnds(result);
        },
      });
    },
  };
  try {
    await run(options.given, { on, env, signal: stopRequest.signal, ownsProcess: true, invocation }).catch((error) => {
      if (state.begun === null && error instanceof UsageError) {
        throw new UsageError([...new Set([...error.problems, ...problems])], error.hint);
      }
      // The run's result already records what a RunError reports.
      if (!(error instanceof RunError)) {
        throw error;
      }
    });
    const { config, later } = /** @type {Begun} */ (state.begun);
    const ran = /** @type {RunResult} */ (state.ran);
    const { notices, errors } = closingMessages(ran, config, later);
    notices.forEach(notify);
    errors.forEach((error) => terminal.err(error));
    state.settled = await conclude(ran, outputs, program, notify);
    closing(ran, config, later).forEach(notify);
    return state.settled;
  } finally {
    state.begun?.listeners.close();
    if (state.settled !== null) {
      // The objects are removed and the results are written, so a signal now only ends the wait for the last scrape.
      stopRequest.settle(state.settled);
      stopRequest.onRequest = () => {};
      stopRequest.onEndAtOnce = () => logFile?.close();
    }
    // The outcome is already decided, so a slow or failing collector cannot change it.
    await outlets?.finish(stopRequest.signal, notify);
    discard();
    await outlets?.close();
  }
}

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Outputs>}
 */
async function openOutputs(options, env) {
  const { log, otlp, metricsPort } = options;
  const checks = new Checks();
  const guard = await checks.run(() => readGuard(options));
  const results = await openResults(options.results, checks);
  const logFile = log === undefined ? null : await checks.run(() => new LogFile(log));
  const showsMetrics = otlp || metricsPort !== undefined;
  const outlets = showsMetrics
    ? await (await load(() => import('./telemetry.js'))).openOutlets(options, env, checks)
    : null;
  return { problems: checks.problems, guard, results, logFile, outlets };
}

/**
 * @param {Program} program
 * @param {ReadyRun} ready
 * @param {{ notify: (line: string) => void, later: Later, discard: () => void }} parts
 */
function watchForStop({ stopRequest, terminal }, { config }, { notify, later, discard }) {
  stopRequest.listen(notify);
  stopRequest.onEndAtOnce = () => {
    discard();
    whatMayRemain(config, later).forEach((line) => terminal.err(line));
  };
}

/**
 * @param {CommandLine} options
 * @param {Outputs} outputs
 * @param {Program} program
 * @param {ReadyRun} ready
 */
function listenersOf({ quiet }, { results, logFile, outlets }, { terminal }, ready) {
  const { config, clock } = ready;
  const stdoutIsTaken = results.some(({ file }) => file === null);
  const warn = (/** @type {string} */ message) => terminal.err(`warning: ${message}`);
  return openListeners({
    ...{ screen: terminal, config, quiet, logFile, stdoutIsTaken, now: clock.now },
    hasView: terminal.isLive && terminal.logIsOnTerminal && !stdoutIsTaken && !quiet,
    telemetry: outlets?.listen(ready, warn),
  });
}

/**
 * @param {RunResult} ran
 * @param {Outputs} outputs
 * @param {Program} program
 * @param {(line: string) => void} notify
 * @returns {Promise<number>} the exit status
 */
async function conclude(ran, outputs, { terminal, stopRequest, isDebugging }, notify) {
  const { results, logFile } = outputs;
  const guard = /** @type {Guard} */ (outputs.guard);
  const measured = resultOf({ ...ran, crash: ran.crash ?? stopRequest.defect });
  const { thresholds, warnings } = judge(guard, measured);
  const lines = thresholdLines(thresholds);
  [...guard.warnings, ...warnings].forEach((warning) => terminal.err(`warning: ${warning}`));
  lines.notices.forEach(notify);
  lines.errors.forEach((error) => terminal.err(error));
  if (results.some(({ file }) => file === null)) {
    // The run is over: if stdout turns out to be closed, do not announce a stop.
    stopRequest.onRequest = () => {};
  }
  const isWritten = await writeResults(results, (reporter) => reporter.format({ ...measured, thresholds }), terminal);
  if (ran.crash !== null) {
    reportError(ran.crash, terminal, isDebugging);
  }
  const ended = exitStatus(ran, stopRequest);
  const hasLost = logFile?.hasFailed === true;
  const status = statusWith(ended === EXIT.complete && hasLost ? EXIT.incomplete : ended, thresholds);
  const mayBeWorse = status === EXIT.complete || status === EXIT.thresholdMissed;
  return !isWritten && mayBeWorse ? EXIT.incomplete : status;
}
