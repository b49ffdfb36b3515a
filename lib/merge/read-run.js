import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readFiles } from '../log/read-files.js';
import { runOfResult } from '../log/result-run.js';
import { placeOf } from '../text/plain-text.js';
import { mergeRuns } from './merge.js';

/**
 * @import { MergeWarning, Result, SecondResult } from '../model/result.js'
 *
 * @typedef {object} ReadRun
 * @property {Result} result of one run, or of all its hosts together
 * @property {readonly MergeWarning[]} warnings
 * @property {MergeWarning[]} runsApart what does not belong into one sum
 */

/** What the files of a run are called, whatever else lies in their folder. */
const FILE_OF_RUN = /\.(json|log|txt)$/i;

/** A file has this name where a user means it: nothing is read from standard input. */
const STANDARD_INPUT = '-';

/**
 * Reads the run that a path stands for: a result as it is, even one of several hosts, or the sum of all logs and results of a
 * folder. Where both a log and a result of a host are there, the result counts, which says more.
 *
 * @param {string} place a file, or a folder with the files of one run
 * @returns {Promise<ReadRun>}
 */
export async function readRun(place) {
  const files = await filesOf(place);
  const { runs, warnings } = await readFiles(files, nothing(), { keepsDetails: true });
  const results = runs.filter(({ line }) => line === null);
  if (runs.length === 1 && results.length === 1) {
    const [{ result }] = results;
    return { result: withSeconds(result), warnings, runsApart: [] };
  }
  // A result says more than the log of the same run, which is not counted then.
  const ordered = [...results, ...runs.filter(({ line }) => line !== null)];
  const { result, runsApart } = mergeRuns(ordered, { warnings, keepsSeries: true });
  return { result: withSeconds(result), warnings: result.merge.warnings, runsApart };
}

/**
 * @param {string} file
 * @returns {Promise<{ results: Result[], warnings: string[] }>} each run of it by itself
 */
export async function readEachRun(file) {
  const { runs, warnings } = await readFiles([file], nothing(), { keepsDetails: true });
  return {
    results: runs.map(({ result }) => withSeconds(result)),
    warnings: [...warnings, ...runs.flatMap((run) => run.warnings)].map((each) => `${placeOf(each)}: ${each.message}`),
  };
}

/**
 * @param {readonly (Result | string)[]} inputs results, and paths of results and logs
 * @returns {Promise<{ result: Result & Required<Pick<Result, 'merge'>>, apart: string[] }>} what they come to together; `apart` is why
 *   they do not belong into one sum
 */
export async function mergeInputs(inputs) {
  const paths = inputs.filter((input) => typeof input === 'string');
  const { runs, warnings } = await readFiles(paths, nothing(), { keepsDetails: true });
  const given = inputs.filter((input) => typeof input !== 'string');
  const all = [
    ...given.map((result, place) => runOfResult(`result ${place + 1}`, result, { keepsDetails: true })),
    ...runs,
  ];
  const { result, runsApart } = mergeRuns(all, { warnings, keepsSeries: true });
  const apart = runsApart.map((each) => `${placeOf(each)}: ${each.message}`);
  return { result: { ...withSeconds(result), merge: result.merge }, apart };
}

/**
 * @template {{ stages: readonly { seconds: Iterable<SecondResult> }[] }} SomeResult
 * @param {SomeResult} result
 * @returns {Result} with its seconds in a list
 */
function withSeconds(result) {
  const stages = result.stages.map((stage) => ({ ...stage, seconds: [...stage.seconds] }));
  return /** @type {Result} */ (/** @type {unknown} */ ({ ...result, stages }));
}

/** @param {string} place */
async function filesOf(place) {
  // Why a folder cannot be read is said where it is read as a file.
  const names = await readdir(place).catch(() => null);
  if (names === null) {
    return [place === STANDARD_INPUT ? `.${path.sep}${place}` : place];
  }
  const ofRun = names.filter((name) => FILE_OF_RUN.test(name)).toSorted();
  return ofRun.map((name) => path.join(place, name));
}

/** @returns {AsyncGenerator<Uint8Array, void, undefined>} */
async function* nothing() {}
