import { hostname } from 'node:os';
import { calibrationPath } from '../calibration/calibration-file.js';
import { counted } from '../text/figures.js';
import { formatSize } from '../text/units.js';
import { problemsOf } from '../model/result-of-run.js';
import { connectionsFor, isInParts, partSizeFor, partsOf } from '../operations/multipart.js';
import { openListeners } from '../report/reporters.js';
import { runBenchmark } from '../run/benchmark-run.js';
import { cleanupCommand } from './later-commands.js';
import { closingMessages } from './closing-messages.js';
import { EXIT } from './exit-status.js';
import { load } from './load.js';
import { outcomeOf } from './outcome.js';
import { versionsOf } from '../s3/versions.js';
import { reportError } from './report-error.js';
import { usableCores } from '../host/cpu-quota.js';

/**
 * @import { Result } from '../model/result.js'
 * @import { Config, MultipartConfig, ObjectsConfig } from '../model/config.js'
 * @import { CommandContext } from './cleanup.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Prepared } from './prepare.js'
 * @import { ResultOutput } from './result-files.js'
 * @import { Terminal } from './terminal.js'
 * @import { StopRequest } from './stop-request.js'
 * @import { Outlets, Telemetry } from '../telemetry/telemetry.js'
 */

/** Node counts its monotonic time from the start of the process. ms */
const LAUNCHED_AT = 0;

/**
 * Runs the benchmark, and reports it.
 *
 * @param {object} parts
 * @param {CommandLine} parts.options
 * @param {NodeJS.ProcessEnv} parts.env
 * @param {Prepared} parts.prepared
 * @param {CommandContext} parts.context
 * @param {StopRequest} parts.stopRequest
 * @param {boolean} parts.withStack whether to show where an unexpected error comes from
 * @returns {Promise<number>} the exit status
 */
export async function runByCommand({
  options,
  env,
  prepared: { target, config, later, results, logFile, guard, outlets },
  context,
  stopRequest,
  withStack,
}) {
  const { clock, terminal } = context;
  const notify = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  stopRequest.onRequest = (reason) => notify(`Stopping (${reason}): finishing what is under way, then cleaning up`);
  stopRequest.onEndAtOnce = () => {
    results.forEach(({ file }) => file?.discard());
    logFile?.close();
    if (!config.store.isEmbedded && config.objects.existing === undefined) {
      terminal.err(`Objects may be left; remove them with: ${cleanupCommand(config, later)}`);
    }
  };
  target.failure?.catch((error) => {
    terminal.err(`error: ${error.message}`);
    stopRequest.storeLost(error);
  });
  noticesOfLoad(options, config).forEach(notify);
  const identity = { host: hostname(), versions: versionsOf(config.load.client) };
  const stdoutIsTaken = results.some(({ file }) => file === null);
  const telemetry = outlets === null ? undefined : await watch(outlets, { options, config, identity, context });
  const observer = openListeners({
    screen: terminal,
    config,
    quiet: options.quiet,
    logFile,
    stdoutIsTaken,
    hasView: terminal.isLive && terminal.logIsOnTerminal && !stdoutIsTaken && !options.quiet,
    telemetry,
    now: clock.now,
  });
  if (logFile !== null) {
    logFile.onFailure = (problem) => terminal.err(`error: ${problem}; the log ends there, and the run goes on`);
  }

  /** @type {number | null} */
  let settled = null;
  try {
    const result = await runBenchmark(config, { ...context, identity, observer, launchedAt: LAUNCHED_AT });
    observer.stagesEnd(result.stages, {
      problems: problemsOf(result),
      cleanup: result.cleanup,
      requests: result.requests,
    });
    const { notices, errors } = closingMessages(result, config, later);
    notices.forEach(notify);
    errors.forEach((error) => terminal.err(error));
    const host = { identity, file: calibrationPath(env, process.platform), usableCores: usableCores() };
    const hasLost = logFile?.hasFailed === true;
    const outcome = outcomeOf(result, { config, guard, host, stopRequest, hasLost });
    outcome.messages.forEach(({ line, isNotice }) => (isNotice ? notify(line) : terminal.err(line)));
    if (stdoutIsTaken) {
      // If nobody reads it, there is nothing left to stop.
      stopRequest.onRequest = () => {};
    }
    const failures = await writeResults(results, outcome.result, terminal);
    failures.forEach((failure) => terminal.err(`error: ${failure}`));
    if (result.crash !== null) {
      reportError(result.crash, terminal, withStack);
    }
    const mayBeWorse = outcome.status === EXIT.complete || outcome.status === EXIT.thresholdMissed;
    settled = failures.length > 0 && mayBeWorse ? EXIT.incomplete : outcome.status;
    return settled;
  } finally {
    observer.close();
    if (settled !== null) {
      // The objects are removed and the results written: a signal ends nothing but the wait for who watches.
      stopRequest.settle(settled);
      stopRequest.onRequest = () => {};
      stopRequest.onEndAtOnce = () => logFile?.close();
    }
    // Nothing that a collector does can change what the run came to.
    await telemetry?.finish(settled, stopRequest.signal);
  }
}

/**
 * @param {Outlets} outlets
 * @param {object} run
 * @param {CommandLine} run.options
 * @param {Config} run.config
 * @param {{ host: string, versions: Record<string, string> }} run.identity
 * @param {CommandContext} run.context
 * @returns {Promise<Telemetry>} that watches the run
 */
async function watch(outlets, { options, config, identity, context: { clock, random, terminal } }) {
  const { noticesOfOutlets, startTelemetry } = await load(() => import('./telemetry.js'));
  const notice = options.quiet ? () => {} : (/** @type {string} */ message) => terminal.err(message);
  const warn = (/** @type {string} */ message) => terminal.err(`warning: ${message}`);
  noticesOfOutlets(outlets, options).forEach(notice);
  return startTelemetry(outlets, { config, identity, now: clock.now, epochNow: clock.epochNow, random, warn, notice });
}

/**
 * @param {Pick<CommandLine, 'threads'>} options
 * @param {Config} config
 * @returns {string[]} what is otherwise than the user has written, and what follows from it
 */
export function noticesOfLoad({ threads }, { objects, load: { threads: used, multipart } }) {
  return [
    ...(threads > objects.count
      ? [`${threads} threads are more than ${objects.count} objects need: ${used} are used`]
      : []),
    ...(isInParts(objects.size, multipart) ? [partsNotice(objects, used, multipart)] : []),
  ];
}

/**
 * @param {ObjectsConfig} objects
 * @param {number} threads
 * @param {MultipartConfig} multipart
 */
function partsNotice({ size, sizes }, threads, multipart) {
  const partSize = partSizeFor(size, multipart.partSize);
  const parts = counted(partsOf(size, partSize), 'part');
  const connections = connectionsFor({ threads, multipart });
  const which = sizes === undefined ? 'Objects' : 'The largest objects';
  return `${which} are written in ${parts} of up to ${formatSize(partSize)}, ${multipart.partThreads} at a time: ${counted(connections, 'connection')} for ${counted(threads, 'thread')}`;
}

/**
 * @param {readonly ResultOutput[]} outputs
 * @param {Result} result
 * @param {Terminal} terminal
 * @returns {Promise<string[]>} why files could not be written
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
