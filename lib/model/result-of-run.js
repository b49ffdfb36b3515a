import { FORMAT } from './schema.js';

/**
 * @import { Result, RunResult } from './result.js'
 *
 * @typedef {Omit<RunResult, 'mayPass' | 'existing' | 'kept'>} FinishedRun
 */

/**
 * @param {FinishedRun} run
 * @returns {Result} docs/reference/result-schema.md has its fields
 */
export function resultOf({ facts, problems, stages, cleanup, requests, crash }) {
  return {
    format: FORMAT,
    ...facts,
    problems: problemsOf({ problems, crash }),
    hosts: [facts],
    cleanup,
    requests,
    thresholds: [],
    stages,
  };
}

/**
 * @param {Pick<RunResult, 'problems' | 'crash'>} run
 * @returns {string[]} why it did not begin, or ended early: a line each
 */
export function problemsOf({ problems, crash }) {
  return crash === null
    ? [...problems]
    : [...problems, `unexpected: ${crash instanceof Error ? crash.message : crash}`];
}
