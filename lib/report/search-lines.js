import { HOLD_MS } from '../search/search-plan.js';
import { limitLine } from './stage-lines.js';

/**
 * @import { LogRecord, StageName } from '../log/log-line.js'
 * @import { SearchResult, SearchStep, StageResult } from '../model/result.js'
 */

/**
 * The line of one step of a search for the peak.
 *
 * @param {StageName} stage
 * @param {SearchStep} step
 * @returns {LogRecord}
 */
export function stepRow(stage, { phase, threads, operationsPerSecond, p50, p99, errors, eventLoopUtilization }) {
  const clientLoad = Math.round(100 * eventLoopUtilization);
  return { kind: 'step-row', stage, threads, operationsPerSecond, p50, p99, errors, clientLoad, phase };
}

/**
 * @param {StageName} stage
 * @param {SearchStep} step
 * @returns {LogRecord} the same for programs
 */
export function stepMachineLine(stage, step) {
  const { startedAt, endedAt, ...figures } = step;
  return { kind: 'machine', data: { kind: 'step', stage, start: startedAt, stop: endedAt, ...figures } };
}

/**
 * What a search found, behind its steps.
 *
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord[]}
 */
export function searchLines(result, search) {
  const { stage, integrityErrors } = result;
  return [
    ceilingLine(result, search),
    ...(integrityErrors === 0 ? [] : [/** @type {LogRecord} */ ({ kind: 'integrity', stage, count: integrityErrors })]),
    limitLine(result),
  ];
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord} the same for programs
 */
export function searchMachineLine({ stage, end, verdict }, search) {
  const { knee, hasPlateau, ceiling, best, operationsNeeded, dollarsNeeded } = search;
  const found = { knee, hasPlateau, ceiling, best, operationsNeeded, dollarsNeeded };
  return { kind: 'machine', data: { kind: 'search', stage, end, ...found, limitedBy: verdict.cause } };
}

/**
 * @param {StageResult} result
 * @param {SearchResult} search
 * @returns {LogRecord}
 */
function ceilingLine({ stage, end, threads, average }, { hasPlateau, ceiling, operationsNeeded, dollarsNeeded }) {
  const notes = [
    ...(end === 'complete' ? [] : [`the search ended before its time (${end})`]),
    ...(operationsNeeded === null ? [] : [`it takes at least ${needs(operationsNeeded, dollarsNeeded)} to tell more`]),
    ...(ceiling !== null && 1000 * ceiling.seconds < HOLD_MS ? [`held for only ${ceiling.seconds.toFixed(1)}s`] : []),
    ...(ceiling === null && end === 'complete' ? ['it was not held'] : []),
  ];
  return {
    kind: 'ceiling',
    stage,
    bound: hasPlateau && ceiling !== null ? 'exact' : 'at least',
    operationsPerSecond: ceiling?.operationsPerSecond ?? average,
    interval: ceiling && { low: ceiling.low, high: ceiling.high },
    threads: ceiling?.threads ?? threads,
    note: notes.length === 0 ? null : notes.join(', '),
  };
}

/**
 * @param {number} operations
 * @param {number | null} dollars where these were what lacked
 */
function needs(operations, dollars) {
  // What is rounded down would not suffice.
  const limit = dollars === null ? '' : ` and --max-cost ${(Math.ceil(dollars * 1e4) / 1e4).toFixed(4)}`;
  return `${operations} operations${limit}`;
}
