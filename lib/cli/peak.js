import { HostLogs } from '../merge/host-logs.js';
import { mergeHosts } from '../merge/merge-hosts.js';
import { isLog, readLogs } from '../merge/read-logs.js';
import { placeOf } from '../merge/wording.js';
import { plainLine } from '../log/plain-text.js';
import { formatPeakBlocks } from '../report/peak-blocks.js';
import { peakCsv } from '../report/peak-csv.js';
import { peakJson } from '../report/peak-json.js';
import { formatPeakSummary } from '../report/peak-summary.js';
import { EXIT } from './exit-status.js';
import { invocationOf } from './invocation.js';
import { readPeakOptions } from './peak-options.js';
import { Output } from './peak-output.js';
import { ReportFile, STANDARD_OUTPUT } from './report-file.js';
import { reportError } from './report-error.js';
import { UsageError } from './usage-error.js';

/**
 * @import { Readable, Writable } from 'node:stream'
 * @import { Aggregate } from '../merge/merge-hosts.js'
 * @import { Caller, Invocation } from './invocation.js'
 * @import { PeakOptions } from './peak-options.js'
 */

/**
 * @typedef {object} Report
 * @property {ReportFile | null} file null where it goes to standard output
 * @property {(aggregate: Aggregate) => Iterable<string>} format
 */

/**
 * Adds up the logs of one or several hosts and prints what they did together in each stage.
 *
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {NodeJS.ProcessEnv} env
 * @param {{ stdin: Readable, stdout: Writable, stderr: Writable } & Caller} streams
 * @returns {Promise<number>} the exit status
 */
export async function main(argv, env, streams) {
  const stdout = new Output(streams.stdout);
  const stderr = new Output(streams.stderr);
  const status = await run(argv, { stdin: streams.stdin, stdout, stderr }, invocationOf(streams, env));
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
 * @param {readonly string[]} argv
 * @param {{ stdin: Readable, stdout: Output, stderr: Output }} streams
 * @param {Invocation} invocation
 * @returns {Promise<number>} the exit status, provided that all that was written went through
 */
async function run(argv, { stdin, stdout, stderr }, invocation) {
  const err = (/** @type {string} */ line) => stderr.write(`${plainLine(line)}\n`);
  /** @type {Report[]} */
  let reports = [];
  try {
    const outputs = {
      out: (/** @type {string} */ text) => stdout.write(text),
      err: (/** @type {string} */ text) => stderr.write(text),
    };
    const options = readPeakOptions(argv, outputs, invocation);
    await protectLogs(options);
    reports = openReports(options);
    const aggregate = await readHosts(options.files, stdin);
    if (!options.severalRuns && aggregate.runsApart.length > 0) {
      throw new UsageError(aggregate.runsApart.map((apart) => `${placeOf(apart)}: ${apart.message}`));
    }
    for (const warning of aggregate.warnings) {
      await err(`warning: ${placeOf(warning)}: ${warning.message}`);
    }
    if (aggregate.stages.length === 0) {
      err('error: no stage in any of the logs, expected what r2-benchmark.js writes to stdout');
      return EXIT.incomplete;
    }
    const isWritten = await writeAll(aggregate, reports, stdout, err);
    return isWritten && !aggregate.warnings.some(({ incomplete }) => incomplete) ? EXIT.complete : EXIT.incomplete;
  } catch (error) {
    return reportError(error, { err });
  } finally {
    reports.forEach(({ file }) => file?.discard());
  }
}

/**
 * `--json log-a.txt log-b.txt`, without the file that was meant, must not write over a log.
 *
 * @param {PeakOptions} options
 * @throws {UsageError}
 */
async function protectLogs({ json, csv }) {
  const problems = [];
  for (const [option, path] of Object.entries({ json, csv })) {
    if (path !== undefined && path !== STANDARD_OUTPUT && (await isLog(path))) {
      problems.push(`--${option}: ${path} is a log, which would be overwritten: name another file for the report`);
    }
  }
  if (problems.length > 0) {
    throw new UsageError(problems, '(--help shows the usage)');
  }
}

/**
 * Opened before the logs are read: a path that cannot be written is known at once.
 *
 * @param {PeakOptions} options
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
  open(json, '--json', (aggregate) => [peakJson(aggregate)]);
  open(csv, '--csv', peakCsv);
  return reports;
}

/**
 * @param {readonly string[]} files
 * @param {Readable} stdin
 */
async function readHosts(files, stdin) {
  const logs = new HostLogs();
  await readLogs(files, stdin, logs);
  return mergeHosts(logs);
}

/**
 * @param {Aggregate} aggregate
 * @param {readonly Report[]} reports
 * @param {Output} stdout
 * @param {(line: string) => void} err
 * @returns {Promise<boolean>} whether every file could be written
 */
async function writeAll(aggregate, reports, stdout, err) {
  const forStdout = reports.find(({ file }) => file === null)?.format ?? textOf;
  for (const text of forStdout(aggregate)) {
    await stdout.write(text);
  }
  const failures = reports.flatMap(({ file, format }) => file?.write(format(aggregate)) ?? []);
  failures.forEach((failure) => err(`error: ${failure}`));
  return failures.length === 0;
}

/** @param {Aggregate} aggregate */
function textOf(aggregate) {
  return [formatPeakSummary(aggregate.peaks), formatPeakBlocks(aggregate)];
}
