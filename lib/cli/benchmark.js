import { run, RunError } from '../index.js';
import { Checks } from '../options/usage-error.js';
import { openListeners } from '../report/reporters.js';
import { closingMessages } from './closing-messages.js';
import { assertedRun } from './command-line.js';
import { EXIT } from './exit-status.js';
import { readGuard } from './guard.js';
import { cleanupCommand, laterOf } from './later-commands.js';
import { load } from './load.js';
import { outcomeOf } from './outcome.js';
import { LogFile } from './output-file.js';
import { reportError } from './report-error.js';
import { openResults } from './result-files.js';

/**
 * @import { Result, RunResult } from '../model/result.js'
 * @import { Config } from '../model/config.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Listener } from '../report/reporter.js'
 * @import { PreparedRun, ProgramContext } from '../run/program.js'
 * @import { RunMetrics } from '../telemetry/run-metrics.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Guard } from './guard.js'
 * @import { Later } from './later-commands.js'
 * @import { Program } from './main.js'
 * @import { ResultOutput } from './result-files.js'
 * @import { Outlets } from './telemetry.js'
 * @import { Terminal } from './terminal.js'
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
 * @param {CommandLine} options
 * @param {Program} program
 * @param {Closing} [closing]
 * @returns {Promise<number>} the exit status
 */
export async function runByCommand(options, program, closing = () => []) {
  const outputs = await openOutputs(options, program.env);
  const { results, logFile, outlets } = outputs;
  program.stopRequest.onEndAtOnce = () => {
    results.forEach(({ file }) => file?.discard());
    logFile?.close();
  };
  try {
    const reported = new ReportedRun(options, outputs, program);
    try {
      await reported.run();
      return await reported.conclude(closing);
    } finally {
      await reported.close();
    }
  } finally {
    results.forEach(({ file }) => file?.discard());
    logFile?.close();
    await outlets?.close();
  }
}

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Outputs>}
 */
async function openOutputs(options, env) {
  const { log, logAppend, otlp, otlpUrl, metricsPort } = options;
  const checks = new Checks();
  const guard = await checks.run(() => readGuard(options, assertedRun(options)));
  const results = await openResults(options.results, checks);
  const logFile = log === undefined ? null : await checks.run(() => new LogFile(log, { append: logAppend }));
  const showsMetrics = otlp || otlpUrl !== undefined || metricsPort !== undefined;
  const outlets = showsMetrics ? await openOutlets(options, env, checks) : null;
  return { problems: checks.problems, guard, results, logFile, outlets };
}

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Checks} checks
 */
async function openOutlets(options, env, checks) {
  const telemetry = await load(() => import('./telemetry.js'));
  return telemetry.openOutlets(options, env, checks);
}

/** Runs the benchmark, reports its progress and result, and checks the result against the --assert limits. */
class ReportedRun {
  #options;
  #outputs;
  #program;
  /** @type {PreparedRun | null} */
  #prepared = null;
  /** @type {Later | null} */
  #later = null;
  /** @type {Required<Listener> | null} */
  #observer = null;
  /** @type {RunMetrics | null} */
  #metrics = null;
  /** @type {RunResult | null} */
  #ran = null;
  /** The exit status, once it is known. @type {number | null} */
  #settled = null;
  #notify;

  /**
   * @param {CommandLine} options
   * @param {Outputs} outputs
   * @param {Program} program
   */
  constructor(options, outputs, program) {
    this.#options = options;
    this.#outputs = outputs;
    this.#program = program;
    this.#notify = options.quiet ? () => {} : (/** @type {string} */ line) => program.terminal.err(line);
  }

  /** @throws {UsageError} if the run cannot start */
  async run() {
    const { env, invocation, stopRequest } = this.#program;
    const { outlets, problems } = this.#outputs;
    /** @type {Partial<RunObserver>} */
    const on = outlets === null ? {} : { snapshot() {} };
    const prepared = async (/** @type {PreparedRun} */ preparedRun) => {
      Object.assign(on, await this.#begin(preparedRun));
    };
    const program = { invocation, problems, prepared };
    /** @type {ProgramContext} */
    const context = { on, env, signal: stopRequest.signal, ownsProcess: true, program };
    await run(this.#options.given, context).catch((error) => {
      // The run's result already records what a RunError reports.
      if (!(error instanceof RunError)) {
        throw error;
      }
    });
  }

  /**
   * @param {PreparedRun} prepared
   * @returns {Promise<Partial<RunObserver>>} the observer of the run
   */
  async #begin(prepared) {
    const { config, target } = prepared;
    const { terminal, stopRequest, invocation } = this.#program;
    const { logFile } = this.#outputs;
    const later = laterOf(this.#options, target, invocation);
    stopRequest.listen();
    stopRequest.onRequest = (reason) =>
      this.#notify(`Stopping (${reason}): finishing requests in flight, then cleaning up`);
    const { onEndAtOnce } = stopRequest;
    stopRequest.onEndAtOnce = () => {
      onEndAtOnce();
      if (!config.store.isEmbedded && config.objects.existing === undefined) {
        terminal.err(`Objects may remain; remove them with: ${cleanupCommand(config, later)}`);
      }
    };
    if (logFile !== null) {
      logFile.onFailure = (problem) => terminal.err(`error: ${problem}; the log ends there, and the run continues`);
    }
    this.#prepared = prepared;
    this.#later = later;
    this.#metrics = await this.#watch(prepared);
    this.#observer = this.#openListeners(prepared);
    const { runEnds } = this.#observer;
    return {
      ...this.#observer,
      runEnds: (ran) => {
        this.#ran = ran;
        runEnds(ran);
      },
    };
  }

  /**
   * @param {PreparedRun} prepared
   * @returns {Promise<RunMetrics | null>} a listener for the run's events; null if no metrics were requested
   */
  async #watch({ config, identity, clock: { now, epochNow } }) {
    const { outlets } = this.#outputs;
    if (outlets === null) {
      return null;
    }
    const { noticesOfOutlets, startTelemetry } = await load(() => import('./telemetry.js'));
    const warn = (/** @type {string} */ message) => this.#program.terminal.err(`warning: ${message}`);
    noticesOfOutlets(outlets, this.#options).forEach(this.#notify);
    return startTelemetry(outlets, { config, identity, now, epochNow, warn });
  }

  /** @param {PreparedRun} prepared */
  #openListeners({ config, clock }) {
    const { terminal } = this.#program;
    const { quiet } = this.#options;
    const stdoutIsTaken = this.#isStdoutTaken;
    return openListeners({
      screen: terminal,
      config,
      quiet,
      logFile: this.#outputs.logFile,
      stdoutIsTaken,
      now: clock.now,
      hasView: terminal.isLive && terminal.logIsOnTerminal && !stdoutIsTaken && !quiet,
      telemetry: this.#metrics ?? undefined,
    });
  }

  get #isStdoutTaken() {
    return this.#outputs.results.some(({ file }) => file === null);
  }

  /**
   * @param {Closing} closing
   * @returns {Promise<number>} the exit status
   */
  async conclude(closing) {
    const { terminal, stopRequest, isDebugging } = this.#program;
    const { guard, results, logFile } = this.#outputs;
    const { config } = /** @type {PreparedRun} */ (this.#prepared);
    const ran = /** @type {RunResult} */ (this.#ran);
    const later = /** @type {Later} */ (this.#later);
    const { notices, errors } = closingMessages(ran, config, later);
    notices.forEach(this.#notify);
    errors.forEach((error) => terminal.err(error));
    const hasLost = logFile?.hasFailed === true;
    const outcome = outcomeOf(ran, { guard: /** @type {Guard} */ (guard), stopRequest, hasLost });
    outcome.messages.forEach(({ line, isNotice }) => (isNotice ? this.#notify(line) : terminal.err(line)));
    if (this.#isStdoutTaken) {
      // The run is over: if stdout turns out to be closed, do not announce a stop.
      stopRequest.onRequest = () => {};
    }
    closing(ran, config, later).forEach(this.#notify);
    const failures = await writeResults(results, outcome.result, terminal);
    failures.forEach((failure) => terminal.err(`error: ${failure}`));
    if (ran.crash !== null) {
      reportError(ran.crash, terminal, isDebugging);
    }
    const mayBeWorse = outcome.status === EXIT.complete || outcome.status === EXIT.thresholdMissed;
    this.#settled = failures.length > 0 && mayBeWorse ? EXIT.incomplete : outcome.status;
    return this.#settled;
  }

  /** Closes all listeners, whatever the outcome of the run. */
  async close() {
    const { stopRequest } = this.#program;
    this.#observer?.close();
    if (this.#settled !== null) {
      // The objects are removed and the results are written, so a signal now only ends the wait for the last scrape.
      stopRequest.settle(this.#settled);
      stopRequest.onRequest = () => {};
      stopRequest.onEndAtOnce = () => this.#outputs.logFile?.close();
    }
    // The outcome is already decided, so a slow or failing collector cannot change it.
    const { outlets } = this.#outputs;
    if (this.#metrics !== null && outlets !== null) {
      const { exportLast } = await load(() => import('./telemetry.js'));
      await exportLast(outlets, stopRequest.signal, this.#notify);
      this.#metrics.close();
    }
  }
}

/**
 * @param {readonly ResultOutput[]} outputs
 * @param {Result} result
 * @param {Terminal} terminal
 * @returns {Promise<string[]>} a message for each file that could not be written
 */
async function writeResults(outputs, result, terminal) {
  const failures = [];
  for (const { reporter, file } of outputs) {
    const parts = await reporter.format(result);
    if (file === null) {
      await terminal.report([...parts].join(''));
    } else {
      failures.push(file.write(parts));
    }
  }
  return failures.filter((failure) => failure !== null);
}
