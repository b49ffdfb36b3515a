import { placeOf, plainLine } from '../text/plain-text.js';
import { readFiles, whatIsLost } from '../log/read-files.js';
import { mergeRuns } from '../merge/merge.js';
import { PLAIN } from '../figures/table.js';
import { formatMergeBlocks, formatMergeSummary } from '../report/merge-text.js';
import { checkThresholds } from '../thresholds/read-thresholds.js';
import { EXIT } from './exit-status.js';
import { stagesOf } from '../thresholds/read-thresholds.js';
import { judge, readGuard, statusWith, thresholdLines } from './guard.js';
import { invocationOf } from './invocation.js';
import { readMergeCommandLine } from './command-line.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { reportError } from './report-error.js';
import { openResults } from './result-files.js';
import { abilitiesOf, lookOf } from './terminal.js';
import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { Merged } from '../merge/merge.js'
 * @import { WritableResult } from '../model/write-result.js'
 * @import { MergeOptions } from './command-line.js'
 * @import { Look } from '../figures/drawing.js'
 * @import { Guard } from './guard.js'
 * @import { ResultOutput } from './result-files.js'
 *
 * @typedef {{ stdin: Readable, stdout: Output, stderr: Output, look: Look | null }} Outputs `look` is that of stdout;
 *   null if stdout is not a terminal
 * @typedef {{ stdin: Readable, stdout: Writable & TerminalSize, stderr: Writable }} Streams
 * @typedef {{ isTTY?: boolean, columns?: number, rows?: number }} TerminalSize
 */

/**
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams & Pick<NodeJS.Process, 'cwd'>} streams
 * @returns {Promise<number>} the exit status
 */
export function main(argv, env, streams) {
  return withOutputs(streams, env, async (outputs) => {
    const options = readMergeCommandLine(argv, outputs, invocationOf(streams.cwd()));
    return merge(options, outputs, textOf);
  });
}

/**
 * `r2-benchmark merge`: combines the stages of one or more hosts.
 *
 * @param {MergeOptions} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 * @returns {Promise<number>} the exit status
 */
export function mergeByCommand(options, env, streams) {
  return withOutputs(streams, env, (outputs) => merge(options, outputs, textOf));
}

/**
 * @param {Streams} streams
 * @param {NodeJS.ProcessEnv} env
 * @param {(outputs: Outputs) => Promise<number>} work
 * @returns {Promise<number>} the exit status
 */
export async function withOutputs({ stdin, ...streams }, env, work) {
  const stdout = new Output(streams.stdout);
  const stderr = new Output(streams.stderr);
  const look = streams.stdout.isTTY ? lookOf(streams.stdout, abilitiesOf(env, process.platform)) : null;
  const status = await work({ stdin, stdout, stderr, look }).catch((error) =>
    reportError(error, { err: errorLines(stderr) }),
  );
  const failure = (await stdout.failure()) ?? (await stderr.failure());
  if (failure === null) {
    return status;
  }
  if (failure.code === 'EPIPE') {
    return EXIT.outputClosed;
  }
  await stderr.write(`error: the output cannot be written: ${failure.message}\n`);
  return EXIT.incomplete;
}

/**
 * Opens the result files, and closes any that are still open afterwards.
 *
 * @param {MergeOptions} options
 * @param {(results: ResultOutput[], guard: Guard) => Promise<number>} work
 * @returns {Promise<number>} the exit status
 * @throws {UsageError} if a file cannot or must not be written
 */
export async function withResults(options, work) {
  await protectLogs(options);
  const checks = new Checks();
  const guard = await checks.run(() => readGuard(options, null));
  const results = await openResults(options.results, checks);
  try {
    checks.conclude();
    return await work(results, /** @type {Guard} */ (guard));
  } finally {
    results.forEach(({ file }) => file?.discard());
  }
}

/**
 * @param {MergeOptions} options
 * @param {Outputs} outputs
 * @param {(result: Merged['result'], look: Look | null) => Iterable<string>} text to print on stdout if no result goes
 *   there
 * @param {Awaited<ReturnType<typeof readFiles>>} [read] the files, if they have been read
 * @returns {Promise<number>} the exit status, assuming that all writes to stdout and stderr succeed
 */
export function merge(options, outputs, text, read) {
  const err = errorLines(outputs.stderr);
  return withResults(options, async (results, guard) => {
    const { runs, warnings: ofFiles } = read?.runs.length ? read : await readHosts(options, results, outputs.stdin);
    const merged = mergeRuns(runs, { warnings: ofFiles });
    const apart = options.severalRuns ? [] : merged.runsApart;
    if (apart.length > 0) {
      throw new UsageError(apart.map((each) => `${placeOf(each)}: ${each.message}`));
    }
    const { warnings } = merged.result.merge;
    for (const warning of warnings) {
      await err(`warning: ${placeOf(warning)}: ${warning.message}`);
    }
    if (merged.result.stages.length === 0) {
      const problem = 'found no stages in the files; expected logs or results of r2-benchmark';
      err(`error: ${problem}`);
      await writeProblems([problem], merged, results, outputs);
      return EXIT.incomplete;
    }
    const problems = checkThresholds(guard.thresholds, stagesOf(merged.result));
    if (problems.length > 0) {
      await writeProblems(problems, merged, results, outputs);
      throw new UsageError(problems);
    }
    const judged = judgeMerged(guard, merged.result);
    judged.lines.forEach((line) => err(line));
    const { thresholds } = judged;
    const whole = { ...merged, result: { ...merged.result, thresholds } };
    const isWritten = await writeAll(whole, results, outputs, () => text(merged.result, outputs.look));
    const isComplete = isWritten && !warnings.some(({ incomplete }) => incomplete);
    return statusWith(isComplete ? EXIT.complete : EXIT.incomplete, thresholds);
  });
}

/**
 * Writes the result together with the problems. Otherwise a CI job would pick up the files of an earlier build.
 *
 * @param {readonly string[]} problems
 * @param {Merged} merged
 * @param {readonly ResultOutput[]} results
 * @param {Outputs} outputs
 */
async function writeProblems(problems, { result, timeSeries }, results, outputs) {
  const whole = { timeSeries, result: { ...result, problems: [...result.problems, ...problems] } };
  await writeAll(whole, results, outputs, () => []);
}

/**
 * @param {Guard} guard
 * @param {Merged['result']} result
 */
function judgeMerged(guard, result) {
  const { thresholds, warnings } = judge(guard, result);
  const { notices, errors } = thresholdLines(thresholds);
  const all = [...guard.warnings, ...warnings].map((warning) => `warning: ${warning}`);
  return { thresholds, lines: [...all, ...notices, ...errors] };
}

/**
 * Refuses to overwrite a log, as in `--json log-a.txt log-b.txt`, where the output file was forgotten.
 *
 * @param {MergeOptions} options
 * @throws {UsageError}
 */
async function protectLogs({ results }) {
  const problems = [];
  for (const [option, path] of Object.entries(results)) {
    const lost = path === STANDARD_OUTPUT ? null : await whatIsLost(path);
    if (lost !== null) {
      problems.push(`--${option}: ${path} is ${lost} and would be overwritten: name another file for the report`);
    }
  }
  refuseIfAny(problems, '(--help shows the usage)');
}

/**
 * @param {MergeOptions} options
 * @param {readonly ResultOutput[]} results
 * @param {Readable} stdin
 */
function readHosts({ files }, results, stdin) {
  const keepsDetails = results.some(({ reporter }) => reporter.needsSecondLatencies);
  return readFiles(files, stdin, { keepsDetails });
}

/**
 * @param {{ result: WritableResult, timeSeries?: Merged['timeSeries'] }} whole
 * @param {readonly ResultOutput[]} results
 * @param {Pick<Outputs, 'stdout' | 'stderr'>} outputs
 * @param {() => Iterable<string>} text to print on stdout if no result goes there
 * @returns {Promise<boolean>} whether every file could be written
 */
export async function writeAll({ result, timeSeries }, results, { stdout, stderr }, text) {
  const forStdout = results.find(({ file }) => file === null);
  for (const part of (await forStdout?.reporter.format(result, timeSeries)) ?? text()) {
    await stdout.write(part);
  }
  const failures = [];
  for (const { reporter, file } of results) {
    failures.push(file?.write(await reporter.format(result, timeSeries)) ?? []);
  }
  failures.flat().forEach((failure) => errorLines(stderr)(`error: ${failure}`));
  return failures.flat().length === 0;
}

/**
 * @param {Merged['result']} result
 * @param {Look | null} look
 */
function textOf(result, look) {
  return [formatMergeSummary(result.merge.peaks), formatMergeBlocks(result, look ?? PLAIN)];
}

/**
 * @param {Output} stderr
 * @returns {(line: string) => Promise<void>}
 */
export function errorLines(stderr) {
  return (line) => stderr.write(`${plainLine(line)}\n`);
}

/** A stream that reports failures at the end instead of crashing the process. */
class Output {
  #stream;
  /** @type {Error | null} */
  #failure = null;
  /** @type {Promise<void>} */
  #written = Promise.resolve();

  /** @param {Writable} stream */
  constructor(stream) {
    this.#stream = stream;
    // The write callback records failures. Without this listener, the same failure would also end the process.
    stream.on('error', () => {});
  }

  /**
   * @param {string} text
   * @returns {Promise<void>} resolves when the text is written or has failed; await it to apply back pressure
   */
  write(text) {
    this.#written = new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        this.#failure ??= error ?? null;
        resolve();
      });
    });
    return this.#written;
  }

  /** @returns {Promise<NodeJS.ErrnoException | null>} the first failure, once everything is written */
  async failure() {
    await this.#written;
    return this.#failure;
  }
}
