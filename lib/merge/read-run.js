import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Intake } from './intake.js';
import { mergeHosts } from './merge-hosts.js';
import { readFiles } from './read-files.js';

/**
 * @import { MergeWarning, Result } from '../model/result.js'
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
  /** @type {{ file: string, result: Result }[]} */
  const results = [];
  /** @type {Set<string>} */
  const logs = new Set();
  const intake = new Intake({ keepsSecondLatencies: true });
  await readFiles(files, nothing(), {
    addResult: (file, result) => results.push({ file, result }),
    addRecord: (file) => logs.add(file),
    addWarning: (warning) => intake.addWarning(warning),
  });
  if (results.length === 1 && logs.size === 0) {
    return { result: results[0].result, warnings: intake.warnings(), runsApart: [] };
  }
  results.forEach(({ file, result }) => intake.addResult(file, result));
  await readFiles(logs, nothing(), {
    addResult() {},
    addRecord: (file, line, record) => intake.addRecord(file, line, record),
    addWarning() {},
  });
  const { result, runsApart } = mergeHosts(intake);
  const stages = result.stages.map((stage) => ({ ...stage, seconds: [...stage.seconds] }));
  return { result: { ...result, stages }, warnings: result.merge.warnings, runsApart };
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
