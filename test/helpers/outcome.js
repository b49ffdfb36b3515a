import assert from 'node:assert/strict';
import { PHASES } from '../../lib/run/begin-run.js';

export { ofKind, recordsOf } from './log-records.js';

/**
 * @typedef {object} Outcome
 * @property {number | null} status
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} milliseconds from start to end of the process
 */

/**
 * @param {Outcome} run
 * @param {number} status
 */
export function assertStatus(run, status) {
  assert.equal(run.status, status, `exit status ${run.status}; stderr:\n${run.stderr}\nstdout:\n${run.stdout}`);
}

/**
 * @param {string} stderr
 * @returns {string} without the lines about phases before the first stage
 */
export function withoutPhases(stderr) {
  const phases = new Set(Object.values(PHASES).map((text) => text.toLowerCase()));
  return stderr
    .split('\n')
    .filter((line) => !phases.has(line.toLowerCase()))
    .join('\n');
}
