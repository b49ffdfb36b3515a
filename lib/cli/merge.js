import { resolve } from 'node:path';
import { placeOf } from '../text/plain-text.js';
import { readFiles, whatIsLost } from '../result/log/read-files.js';
import { mergeRuns } from '../result/merge/merge.js';
import { PLAIN } from '../result/figures/table.js';
import { formatMergeBlocks, formatMergeSummary } from '../report/merge-text.js';
import { checkThresholds, stagesOf } from '../result/thresholds/threshold.js';
import { EXIT } from './exit-status.js';
import { judge, readGuard, statusWith, thresholdLines } from './guard.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { openResults, writeResults } from './output-file.js';
import { abilitiesOf, lookOf } from './terminal.js';
import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';

/**
 * @import { Readable } from 'node:stream'
 * @import { ResultReporter } from '../report/reporter.js'
 * @import { Merged } from '../result/merge/merge.js'
 * @import { MergeWarning } from '../result/result.js'
 * @import { WritableResult } from '../result/write-result.js'
 * @import { MergeOptions } from './command-line.js'
 * @import { Guard } from './guard.js'
 * @import { Program } from './main.js'
 * @import { ResultOutput } from './output-file.js'
 */

/**
 * `r2-benchmark merge`: combines the stages of one or more hosts.
 *
 * @param {MergeOptions} options
 * @param {Program} program
 * @returns {Promise<number>} the exit status
 */
export function mergeByCommand(options, program) {
  const { streams, env } = program;
  const look = streams.stdout.isTTY ? lookOf(streams.stdout, abilitiesOf(env, process.platform)) : PLAIN;
  return merge(options, program, (result) => [formatMergeSummary(result.merge.peaks), formatMergeBlocks(result, look)]);
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
  await protectLogs(options.results, options.files);
  const checks = new Checks();
  const guard = await checks.run(() => readGuard(options));
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
 * @param {Program} program
 * @param {(result: Merged['result']) => Iterable<string>} text to print on stdout if no result goes there
 * @param {Awaited<ReturnType<typeof readFiles>>} [read] the files, if they have been read
 * @returns {Promise<number>} the exit status, assuming that all writes to stdout succeed
 */
export function merge(options, { terminal, streams }, text, read) {
  return withResults(options, async (results, guard) => {
    const { runs, warnings: ofFiles } = read?.runs.length ? read : await readHosts(options, results, streams.stdin);
    const merged = mergeRuns(runs, { warnings: ofFiles });
    const apart = options.severalRuns ? [] : merged.runsApart;
    if (apart.length > 0) {
      throw new UsageError(apart.map((each) => `${placeOf(each)}: ${each.message}`));
    }
    const { warnings } = merged.result.merge;
    printWarnings(warnings, terminal);
    if (merged.result.stages.length === 0) {
      const problem = 'found no stages in the files; expected logs or results of r2-benchmark';
      terminal.err(`error: ${problem}`);
      await writeProblems([problem], merged, results, terminal);
      return EXIT.incomplete;
    }
    const problems = checkThresholds(guard.thresholds, stagesOf(merged.result));
    if (problems.length > 0) {
      await writeProblems(problems, merged, results, terminal);
      throw new UsageError(problems);
    }
    const judged = judgeMerged(guard, merged.result);
    judged.lines.forEach((line) => terminal.err(line));
    const { thresholds } = judged;
    const whole = { ...merged, result: { ...merged.result, thresholds } };
    const isWritten = await writeResults(results, formatOf(whole), terminal, () => text(merged.result));
    const isComplete = isWritten && !warnings.some(({ incomplete }) => incomplete);
    return statusWith(isComplete ? EXIT.complete : EXIT.incomplete, thresholds);
  });
}

/**
 * @param {readonly MergeWarning[]} warnings
 * @param {Pick<Program['terminal'], 'err'>} terminal
 */
export function printWarnings(warnings, terminal) {
  warnings.forEach((warning) => terminal.err(`warning: ${placeOf(warning)}: ${warning.message}`));
}

/**
 * Writes the result together with the problems. Otherwise a CI job would pick up the files of an earlier build.
 *
 * @param {readonly string[]} problems
 * @param {Merged} merged
 * @param {readonly ResultOutput[]} results
 * @param {Program['terminal']} terminal
 */
async function writeProblems(problems, { result, timeSeries }, results, terminal) {
  const whole = { timeSeries, result: { ...result, problems: [...result.problems, ...problems] } };
  await writeResults(results, formatOf(whole), terminal);
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
 * Refuses to overwrite an input, a log or a result, as in `--json log-a.txt log-b.txt`, where the output file was
 * forgotten.
 *
 * @param {Readonly<Record<string, string | undefined>>} files to write, by option
 * @param {readonly string[]} inputs
 * @throws {UsageError}
 */
export async function protectLogs(files, inputs) {
  const problems = [];
  for (const [option, path] of Object.entries(files)) {
    const isInput = inputs.some((input) => resolve(input) === resolve(path ?? ''));
    const isFile = path !== undefined && path !== STANDARD_OUTPUT;
    const lost = isFile ? ((await whatIsLost(path)) ?? (isInput ? 'an input' : null)) : null;
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
 * @param {Pick<Merged, 'timeSeries'> & { result: WritableResult }} merged
 * @returns {(reporter: ResultReporter) => Iterable<string> | Promise<Iterable<string>>}
 */
function formatOf({ result, timeSeries }) {
  return (reporter) => reporter.format(result, timeSeries);
}
