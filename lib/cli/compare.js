import path from 'node:path';
import { compareAll, compareResults } from '../result/compare/compare-results.js';
import { readFiles, readWholeResult } from '../result/log/read-files.js';
import { readRun } from '../result/merge/read-run.js';
import { runsApart } from '../result/merge/runs-apart.js';
import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';
import { comparisonText, shownComparison, shownSideBySide } from '../report/compare-text.js';
import { comparisonPage } from '../report/html/comparison-page.js';
import { placeOf } from '../text/plain-text.js';
import { EXIT } from './exit-status.js';
import { judgeAgainst, statusWith, thresholdLines } from './guard.js';
import { merge, printWarnings, protectLogs, withResults } from './merge.js';
import { openResults, writeResults } from './output-file.js';

/**
 * @import { NamedResult } from '../result/compare/compare-results.js'
 * @import { ReadRun } from '../result/merge/read-run.js'
 * @import { Comparison } from '../result/comparison.js'
 * @import { MergeWarning, ThresholdResult } from '../result/result.js'
 * @import { WritableResult } from '../result/write-result.js'
 * @import { ResultReporter } from '../report/reporter.js'
 * @import { Threshold } from '../result/thresholds/threshold.js'
 * @import { CompareOptions, MergeOptions } from './command-line.js'
 * @import { Program } from './main.js'
 * @import { Terminal } from './terminal.js'
 */

/** Columns of a table of several results. */
const WIDE = 120;

/**
 * `r2-benchmark compare`: reports whether the second of two runs was faster than the first, or how any number of them
 * compare with one.
 *
 * @param {CompareOptions} options
 * @param {Pick<Terminal, 'err' | 'report'>} terminal
 * @returns {Promise<number>} the exit status; a difference does not change it unless an assertion fails
 * @throws {UsageError} if, for example, the runs are not comparable
 */
export async function compareByCommand(options, terminal) {
  const { json, report } = options;
  await protectLogs({ json, report }, options.results);
  const checks = new Checks();
  const outputs = await openResults({ json, report }, checks);
  checks.conclude();
  try {
    const sides = [];
    for (const place of options.results) {
      sides.push({ name: place, run: await readSide(place, terminal) });
    }
    const known = sides.flatMap(({ name, run }) => (run === null ? [] : [{ name, result: run.result }]));
    if (known.length < sides.length) {
      return EXIT.incomplete;
    }
    const { data, page, text, thresholds } = compared(known, options.thresholds, options);
    const { notices, errors } = thresholdLines(thresholds);
    [...notices, ...errors].forEach((line) => terminal.err(line));
    /** @param {{ option: string }} reporter */
    const format = ({ option }) => (option === 'json' ? [`${JSON.stringify(data, null, 2)}\n`] : page());
    const isWritten = await writeResults(outputs, format, terminal, () => [text()]);
    const isIncomplete = sides.some(({ run }) => run?.warnings.some(({ incomplete }) => incomplete));
    return statusWith(!isWritten || isIncomplete ? EXIT.incomplete : EXIT.complete, thresholds);
  } finally {
    outputs.forEach(({ file }) => file?.discard());
  }
}

/**
 * @param {readonly NamedResult[]} results
 * @param {readonly Threshold[]} limits
 * @param {CompareOptions} options
 * @returns {{ data: unknown, page: () => Iterable<string>, text: () => string, thresholds: readonly ThresholdResult[] }}
 */
function compared(results, limits, options) {
  const { margin } = options;
  const reference = referenceAmong(results, options.reference);
  const others = results.filter((each) => each !== reference);
  if (others.length > 1) {
    refuseIfAny(limits.length === 0 ? [] : ['--assert: expected two results to compare']);
    const all = compareAll(results, reference, { margin });
    const comparisons = all.sides.flatMap(({ comparison }) => comparison ?? []);
    const data = { reference: reference.name, comparisons };
    const shown = shownSideBySide(all);
    return { data, page: () => comparisonPage(shown), text: () => comparisonText(shown, WIDE), thresholds: [] };
  }
  const [other] = others;
  const comparison = compareResults(reference, other, { margin });
  refuseMismatches(comparison, options);
  const thresholds = judgeAgainst(limits, reference, other.result);
  const data = { ...comparison, thresholds };
  const page = () => comparisonPage(shownComparison(data));
  return { data, page, text: () => comparisonText(shownComparison(comparison)), thresholds };
}

/**
 * @template {{ name: string }} Named
 * @param {readonly Named[]} results
 * @param {string} [file] of --reference; the first by default
 * @returns {Named}
 * @throws {UsageError} if it is none of them
 */
function referenceAmong(results, file) {
  const found = file === undefined ? results[0] : results.find(({ name }) => path.resolve(name) === path.resolve(file));
  if (found === undefined) {
    throw new UsageError([
      `--reference: ${file} is not among the results: name one of ${results.map(({ name }) => name).join(', ')}`,
    ]);
  }
  return found;
}

/**
 * @param {string} place
 * @param {Pick<Terminal, 'err'>} terminal
 * @returns {Promise<ReadRun | null>} null if it contains nothing to compare
 * @throws {UsageError} if it contains more than one run
 */
async function readSide(place, terminal) {
  const run = await readRun(place);
  if (run.runsApart.length > 0) {
    throw new UsageError(
      run.runsApart.map((apart) => `${placeOf(apart)}: ${apart.message}`),
      'compare takes one run per side',
    );
  }
  printWarnings(run.warnings, terminal);
  if (run.result.stages.length === 0) {
    terminal.err(
      `error: ${place}: found no stages; expected a result, a log, or a folder with the results and logs of one run`,
    );
    return null;
  }
  return run;
}

/**
 * @param {Comparison} comparison
 * @param {CompareOptions} options
 * @throws {UsageError}
 */
function refuseMismatches({ mismatches, stages }, { force }) {
  if (mismatches.length === 0 || (force && stages.length > 0)) {
    return;
  }
  const hint = stages.length === 0 ? '' : '--force compares them anyway';
  throw new UsageError(
    mismatches.map((mismatch) => `the runs cannot be compared: ${mismatch}`),
    hint,
  );
}

/**
 * `r2-benchmark report`: writes a report of saved runs. A single result is shown as it is, even if it cannot be merged,
 * such as the result of a search or of many hosts. Several files are merged, or shown side by side if they do not belong
 * together.
 *
 * @param {MergeOptions} options
 * @param {Program} program
 * @returns {Promise<number>} the exit status
 */
export async function reportByCommand(options, program) {
  const [file, ...others] = options.files;
  if (others.length > 0) {
    const { runs, warnings } = options.severalRuns
      ? { runs: [], warnings: [] }
      : await readFiles(options.files, program.streams.stdin);
    const apart = runs.length < 2 ? null : runsApart(runs);
    if (apart === null) {
      return merge(options, program, () => [], { runs, warnings });
    }
    const all = compareAll(apart, referenceAmong(apart, options.reference));
    const format = () => comparisonPage(shownSideBySide(all));
    const ofAll = [...warnings, ...apart.flatMap((each) => each.warnings)];
    return show(apart[0].result, ofAll, options, program, { format });
  }
  const read = await readWholeResult(file);
  if (read === null) {
    return merge(options, program, () => []);
  }
  const warnings = read.warnings.map((message) => ({ file, line: null, message, incomplete: false }));
  return show(read.result, warnings, options, program);
}

/**
 * @param {WritableResult} result
 * @param {readonly MergeWarning[]} warnings
 * @param {MergeOptions} options
 * @param {Program} program
 * @param {Partial<ResultReporter>} [format] instead of the page of one result
 */
function show(result, warnings, options, { terminal }, format = {}) {
  return withResults(options, async (results) => {
    printWarnings(warnings, terminal);
    const isWritten = await writeResults(results, (reporter) => ({ ...reporter, ...format }).format(result), terminal);
    return isWritten && !warnings.some(({ incomplete }) => incomplete) ? EXIT.complete : EXIT.incomplete;
  });
}
