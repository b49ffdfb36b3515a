import { FORMAT } from './schema.js';

/**
 * @import { Result, RunResult } from './result.js'
 *
 * @typedef {Omit<RunResult, 'mayPass' | 'existing' | 'kept'> & { exitStatus: number }} FinishedRun what is known of a run
 *   when its process ends
 */

/**
 * @param {FinishedRun} run
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
    thresholds: [],
    stages,
  };
}
