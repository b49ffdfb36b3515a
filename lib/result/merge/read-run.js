import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readFiles } from '../log/read-files.js';
import { runOfResult } from '../log/result-run.js';
import { placeOf } from '../../text/plain-text.js';
import { mergeRuns } from './merge.js';

/**
 * @import { MergeWarning, Result, SecondResult } from '../result.js'
 *
 * @typedef {object} ReadRun
 * @property {Result} result of one run, or of all its hosts together
 * @property {readonly MergeWarning[]} warnings
 * @property {MergeWarning[]} runsApart runs that should not be added up
 */

/** Names of the files of a run. Its folder can contain other files. */
const FILE_OF_RUN = /\.(json|log|txt)$/i;

/** The name of standard input for readFiles(). Paths in this module always name files, even if they equal it. */
const STANDARD_INPUT = '-';

/**
 * Reads a path as one run: a single result unchanged, even if merged, or the sum of all logs and results in a folder.
 *
 * @param {string} location a file, or a folder with the files of one run
 * @returns {Promise<ReadRun>}
 */
export async function readRun(location) {
  const files = await filesOf(location);
  const { runs, warnings } = await readFiles(files);
  const results = runs.filter(({ line }) => line === null);
  if (runs.length === 1 && results.length === 1) {
    const [run] = results;
    return { result: withSeconds(run.result), warnings: [...warnings, ...run.warnings], runsApart: [] };
  }
  // Results come first: they have more details than the log of the same run, which then counts as a copy.
  const ordered = [...results, ...runs.filter(({ line }) => line !== null)];
  const { result, runsApart } = mergeRuns(ordered, { warnings });
  return { result: withSeconds(result), warnings: result.merge.warnings, runsApart };
}

/**
 * @param {string} file
 * @returns {Promise<{ results: Result[], warnings: string[] }>} one result per run
 */
export async function readEachRun(file) {
  const { runs, warnings } = await readFiles([file]);
  return {
    results: runs.map(({ result }) => withSeconds(result)),
    warnings: [...warnings, ...runs.flatMap((run) => run.warnings)].map((each) => `${placeOf(each)}: ${each.message}`),
  };
}

/**
 * @param {readonly (Result | string)[]} inputs results, and paths of results and logs
 * @returns {Promise<{ result: Result & Required<Pick<Result, 'merge'>>, apart: string[] }>} `apart`: reasons not to
 *   add up the runs
 */
export async function mergeInputs(inputs) {
  const paths = inputs.filter((input) => typeof input === 'string');
  const { runs, warnings } = await readFiles(paths);
  const given = inputs.filter((input) => typeof input !== 'string');
  const all = [
    ...given.map((result, index) => runOfResult(`result ${index + 1}`, result, { keepsDetails: true })),
    ...runs,
  ];
  const { result, runsApart } = mergeRuns(all, { warnings });
  const apart = runsApart.map((each) => `${placeOf(each)}: ${each.message}`);
  return { result: { ...withSeconds(result), merge: result.merge }, apart };
}

/**
 * @template {{ stages: readonly { seconds: Iterable<SecondResult> }[] }} SomeResult
 * @param {SomeResult} result
 * @returns {Result} with its seconds as arrays
 */
export function withSeconds(result) {
  const stages = result.stages.map((stage) => ({ ...stage, seconds: [...stage.seconds] }));
  return /** @type {Result} */ (/** @type {unknown} */ ({ ...result, stages }));
}

/** @param {string} location */
async function filesOf(location) {
  // An unreadable folder is reported when it is read as a file.
  const names = await readdir(location).catch(() => null);
  if (names === null) {
    return [location === STANDARD_INPUT ? `.${path.sep}${location}` : location];
  }
  const runFiles = names.filter((name) => FILE_OF_RUN.test(name)).toSorted();
  return runFiles.map((name) => path.join(location, name));
}
