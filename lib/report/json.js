import { FORMAT } from '../model/schema.js';
import { writeResult } from '../model/write-result.js';

/**
 * @import { Result } from '../model/result.js'
 * @import { ReportedRun, ResultReporter } from './reporter.js'
 * @import { Merged } from '../merge/merge-hosts.js'
 */

/**
 * @param {ReportedRun} run
 * @returns {Result} docs/result-schema.md has its fields
 */
export function resultOf({ facts, problems, stages, cleanup, requests, crash, exitStatus }) {
  const crashes = crash === null ? [] : [`unexpected: ${crash instanceof Error ? crash.message : crash}`];
  return {
    format: FORMAT,
    ...facts,
    exitStatus,
    problems: [...problems, ...crashes],
    hosts: [facts],
    cleanup,
    requests,
    stages,
  };
}

/** @type {ResultReporter} */
export const jsonReporter = {
  option: { name: 'json', help: 'write the whole result to a file; - is stdout' },
  format: (run) => writeResult(resultOf(run)),
};

/**
 * What hosts did together as one JSON object, of the shape that the result of one host has.
 *
 * @param {Merged} merged
 * @returns {Generator<string, void, undefined>} some lines at a time
 */
export function mergeJson({ result, seconds }) {
  return writeResult({
    ...result,
    stages: result.stages.map((stage) => ({ ...stage, seconds: seconds(stage.stage) })),
  });
}
