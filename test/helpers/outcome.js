import assert from 'node:assert/strict';
import { parseLine } from '../../lib/log/log-line.js';
import { PHASES } from '../../lib/run/phases.js';

/** @import { LogRecord } from '../../lib/log/log-line.js' */

/**
 * @typedef {object} Outcome
 * @property {number | null} status
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} milliseconds from the start of the process to its end
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
 * @returns {string} without the lines that name what comes before the first stage
 */
export function withoutPhases(stderr) {
  const phases = new Set(Object.values(PHASES).map((text) => text.toLowerCase()));
  return stderr
    .split('\n')
    .filter((line) => !phases.has(line.toLowerCase()))
    .join('\n');
}

/**
 * @param {string} stdout
 * @returns {LogRecord[]} one for each line, for there may be no line that is not of the log
 */
export function recordsOf(stdout) {
  assert.ok(stdout.endsWith('\n'), 'the log ends with a whole line');
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const record = parseLine(line);
      assert.ok(record !== null, `not a line of the log: ${line}`);
      return record;
    });
}

/**
 * @template {LogRecord['kind']} Kind
 * @param {readonly LogRecord[]} records
 * @param {Kind} kind
 * @returns {Extract<LogRecord, { kind: Kind }>[]}
 */
export function ofKind(records, kind) {
  return /** @type {any} */ (records.filter((record) => record.kind === kind));
}
