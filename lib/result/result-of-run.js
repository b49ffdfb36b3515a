import { FORMAT } from './schema.js';

/** @import { Result, RunResult } from './result.js' */

/**
 * @param {Omit<RunResult, 'isTransient' | 'existing' | 'kept'>} run
 * @returns {Result} see docs/reference/result-schema.md
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

/** Why the run did not start or ended early, one line each. @param {Pick<RunResult, 'problems' | 'crash'>} run */
export function problemsOf({ problems, crash }) {
  return crash === null
    ? [...problems]
    : [...problems, `unexpected: ${crash instanceof Error ? crash.message : crash}`];
}
