import { plainLine } from '../log/plain-text.js';
import { Intake } from '../merge/intake.js';
import { mergeHosts } from '../merge/merge-hosts.js';
import { readFiles, whatIsLost } from '../merge/read-files.js';
import { placeOf } from '../merge/warnings.js';
import { formatCsv } from '../report/csv.js';
import { mergeJson } from '../report/json.js';
import { formatMergeBlocks, formatMergeSummary } from '../report/merge-text.js';
import { EXIT } from './exit-status.js';
import { invocationOf } from './invocation.js';
import { readMergeCommandLine } from './command-line.js';
import { ReportFile, STANDARD_OUTPUT } from './output-file.js';
import { reportError } from './report-error.js';
import { UsageError } from './usage-error.js';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { Merged } from '../merge/merge-hosts.js'
 * @import { Caller } from './invocation.js'
 * @import { MergeOptions } from './command-line.js'
 */

/**
 * @typedef {object} Report
 * @property {ReportFile | null} file null where it goes to standard output
 * @property {(merged: Merged) => Iterable<string>} format
 */

/** @typedef {{ stdin: Readable, stdout: Output, stderr: Output }} Outputs */

/**
 * Runs peak-performance.js.
 *
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {NodeJS.ProcessEnv} env
 * @param {{ stdin: Readable, stdout: Writable, stderr: Writable } & Caller} streams
 * @returns {Promise<number>} the exit status
 */
export function main(argv, env, streams) {
  return withOutputs(streams, async (outputs) => {
    const options = readMergeCommandLine(argv, outputs, invocationOf(streams, env));
    return merge(options, outputs);
  });
}

/**
 * `r2-benchmark merge`: adds up what one or several hosts did together in each stage.
 *
 * @param {MergeOptions} options
 * @param {{ stdin: Readable, stdout: Writable, stderr: Writable }} streams
 * @returns {Promise<number>} the exit status
 */
export function mergeByCommand(options, streams) {
  return withOutputs(streams, (outputs) => merge(options, outputs));
}

/**
 * @param {{ stdin: Readable, stdout: Writable, stderr: Writable }} streams
 * @param {(outputs: Outputs) => Promise<number>} work
 * @returns {Promise<number>} the exit status
 */
async function withOutputs({ stdin, ...streams }, work) {
  const stdout = new Output(streams.stdout);
  const stderr = new Output(streams.stderr);
  const status = await work({ stdin, stdout, stderr }).catch((error) =>
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
 * @param {MergeOptions} options
 * @param {Outputs} outputs
 * @returns {Promise<number>} the exit status, provided that all that was written went through
 */
async function merge(options, { stdin, stdout, stderr }) {
  const err = errorLines(stderr);
  await protectLogs(options);
  const reports = openReports(options);
  try {
    const merged = await readHosts(options, stdin);
    if (!options.severalRuns && merged.runsApart.length > 0) {
      throw new UsageError(merged.runsApart.map((apart) => `${placeOf(apart)}: ${apart.message}`));
    }
    const { warnings } = merged.result.merge;
    for (const warning of warnings) {
      await err(`warning: ${placeOf(warning)}: ${warning.message}`);
    }
    if (merged.result.stages.length === 0) {
      err('error: no stage in any of the logs, expected what r2-benchmark.js writes to stdout');
      return EXIT.incomplete;
    }
    const isWritten = await writeAll(merged, reports, stdout, err);
    return isWritten && !warnings.some(({ incomplete }) => incomplete) ? EXIT.complete : EXIT.incomplete;
  } finally {
    reports.forEach(({ file }) => file?.discard());
  }
}

/**
 * `--json log-a.txt log-b.txt`, without the file that was meant, must not write over a log.
 *
 * @param {MergeOptions} options
 * @throws {UsageError}
 */
async function protectLogs({ json, csv }) {
  const problems = [];
  for (const [option, path] of Object.entries({ json, csv })) {
    const lost = path === undefined || path === STANDARD_OUTPUT ? null : await whatIsLost(path);
    if (lost !== null) {
      problems.push(`--${option}: ${path} is ${lost}, which would be overwritten: name another file for the report`);
    }
  }
  if (problems.length > 0) {
    throw new UsageError(problems, '(--help shows the usage)');
  }
}

/**
 * Opened before the logs are read: a path that cannot be written is known at once.
 *
 * @param {MergeOptions} options
 * @returns {Report[]}
 */
function openReports({ json, csv }) {
  /** @type {Report[]} */
  const reports = [];
  const open = (
    /** @type {string | undefined} */ path,
    /** @type {string} */ option,
    /** @type {Report['format']} */ format,
  ) => {
    if (path !== undefined) {
      reports.push({ file: path === STANDARD_OUTPUT ? null : new ReportFile(path, option), format });
    }
  };
  open(json, '--json', mergeJson);
  open(csv, '--csv', ({ timeSeries, result }) => formatCsv({ timeSeries, isDated: result.merge.isDated }));
  return reports;
}

/**
 * @param {MergeOptions} options
 * @param {Readable} stdin
 */
async function readHosts({ files, json }, stdin) {
  const intake = new Intake({ keepsSecondLatencies: json !== undefined });
  await readFiles(files, stdin, intake);
  return mergeHosts(intake);
}

/**
 * @param {Merged} merged
 * @param {readonly Report[]} reports
 * @param {Output} stdout
 * @param {(line: string) => void} err
 * @returns {Promise<boolean>} whether every file could be written
 */
async function writeAll(merged, reports, stdout, err) {
  const forStdout = reports.find(({ file }) => file === null)?.format ?? textOf;
  for (const text of forStdout(merged)) {
    await stdout.write(text);
  }
  const failures = reports.flatMap(({ file, format }) => file?.write(format(merged)) ?? []);
  failures.forEach((failure) => err(`error: ${failure}`));
  return failures.length === 0;
}

/** @param {Merged} merged */
function textOf({ result }) {
  return [formatMergeSummary(result.merge.peaks), formatMergeBlocks(result)];
}

/**
 * @param {Output} stderr
 * @returns {(line: string) => Promise<void>}
 */
function errorLines(stderr) {
  return (line) => stderr.write(`${plainLine(line)}\n`);
}

/** A stream whose failures are known at the end instead of ending the process at once. */
class Output {
  #stream;
  /** @type {Error | null} */
  #failure = null;
  /** @type {Promise<void>} */
  #written = Promise.resolve();

  /** @param {Writable} stream */
  constructor(stream) {
    this.#stream = stream;
    // A failed write is reported to its callback; without a listener, the event for the same failure would end the process.
    stream.on('error', () => {});
  }

  /**
   * @param {string} text
   * @returns {Promise<void>} once it is written, or cannot be: a caller with much to write waits for it
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

  /** @returns {Promise<NodeJS.ErrnoException | null>} what went wrong first, once everything is written */
  async failure() {
    await this.#written;
    return this.#failure;
  }
}
