import path from 'node:path';
import { compareResults } from '../compare/compare-results.js';
import { readRun } from '../merge/read-run.js';
import { whatIsLost } from '../log/read-files.js';
import { placeOf } from '../text/plain-text.js';
import { formatComparison } from '../report/compare-text.js';
import { comparisonPage } from '../report/html/comparison-page.js';
import { EXIT } from './exit-status.js';
import { judgeAgainst, readLimits, statusWith, thresholdLines } from './guard.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { ReportFile } from './output-file.js';
import { UsageError } from '../options/usage-error.js';

/**
 * @import { Comparison } from '../model/comparison.js'
 * @import { ReadRun } from '../merge/read-run.js'
 * @import { CompareOptions } from './command-line.js'
 * @import { Terminal } from './terminal.js'
 */

/**
 * `r2-benchmark compare`: reports whether the second of two runs was faster than the first.
 *
 * @param {CompareOptions} options
 * @param {Pick<Terminal, 'err' | 'report'>} terminal
 * @returns {Promise<number>} the exit status; a difference does not change it unless an assertion fails
 * @throws {UsageError} if, for example, the runs are not comparable
 */
export async function compareByCommand(options, terminal) {
  const { before, after, margin, json, report } = options;
  await protectResults(options);
  const limits = readLimits(options);
  const file = json === undefined || json === STANDARD_OUTPUT ? null : new ReportFile(json, '--json');
  const page = report === undefined || report === STANDARD_OUTPUT ? null : new ReportFile(report, '--report');
  try {
    const [one, other] = [await readSide(before, terminal), await readSide(after, terminal)];
    if (one === null || other === null) {
      return EXIT.incomplete;
    }
    const comparison = compareResults(
      { name: before, result: one.result },
      { name: after, result: other.result },
      { margin },
    );
    refuseMismatches(comparison, options);
    const thresholds = judgeAgainst(limits, { name: before, result: one.result }, other.result);
    const { notices, errors } = thresholdLines(thresholds);
    [...notices, ...errors].forEach((line) => terminal.err(line));
    const judged = { ...comparison, thresholds };
    const data = `${JSON.stringify(judged, null, 2)}\n`;
    const shown = () => comparisonPage(judged, one.result, other.result);
    const forStdout = json === STANDARD_OUTPUT ? data : formatComparison(comparison);
    await terminal.report(report === STANDARD_OUTPUT ? [...shown()].join('') : forStdout);
    const failures = [file?.write(data) ?? null, page?.write(shown()) ?? null].filter((failure) => failure !== null);
    failures.forEach((failure) => terminal.err(`error: ${failure}`));
    const isIncomplete = [one, other].some(({ warnings }) => warnings.some(({ incomplete }) => incomplete));
    return statusWith(failures.length > 0 || isIncomplete ? EXIT.incomplete : EXIT.complete, thresholds);
  } finally {
    file?.discard();
    page?.discard();
  }
}

/**
 * Refuses to overwrite a result, as in `--json before.json after.json`, where the output file was forgotten.
 *
 * @param {CompareOptions} options
 * @throws {UsageError}
 */
async function protectResults({ json, report, before, after }) {
  for (const [option, file] of Object.entries({ json, report })) {
    if (file === undefined || file === STANDARD_OUTPUT) {
      continue;
    }
    const isSide = [before, after].some((side) => path.resolve(side) === path.resolve(file));
    const lost = isSide ? 'one of the two results' : await whatIsLost(file);
    if (lost !== null) {
      throw new UsageError([`--${option}: ${file} is ${lost} and would be overwritten: name another file`]);
    }
  }
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
  run.warnings.forEach((warning) => terminal.err(`warning: ${placeOf(warning)}: ${warning.message}`));
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
