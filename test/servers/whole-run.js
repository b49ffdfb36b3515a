import assert from 'node:assert/strict';
import { DEFAULT_STAGES, operationsOf } from '../../lib/load/operations/registry.js';
import { machineRecords } from '../helpers/log-records.js';
import { ofKind } from '../helpers/outcome.js';

/** @import { LogRecord } from '../helpers/log-records.js' */

/** The stages of a run without --stages, by their names in the log. */
export const STAGE_NAMES = operationsOf(DEFAULT_STAGES).map(({ logName }) => logName);

const MEBIBYTE = 2 ** 20;

/**
 * @typedef {object} Workload
 * @property {number} objects
 * @property {number} threads
 * @property {number} buckets
 * @property {number} objectSize bytes
 */

/**
 * Checks the log of a run without errors: four stages in order, each with all its lines, and all lines of a stage
 * consistent with each other.
 *
 * @param {readonly LogRecord[]} records
 * @param {Workload} workload
 */
export function assertWholeRun(records, workload) {
  assert.deepEqual(
    ofKind(records, 'schedule').map(({ stage }) => stage),
    STAGE_NAMES,
  );
  assert.deepEqual(
    ofKind(records, 'summary').map(({ stage }) => stage),
    STAGE_NAMES,
  );
  for (const stage of STAGE_NAMES) {
    assertWholeStage(
      records.filter((record) => 'stage' in record && record.stage === stage),
      workload,
    );
  }
  assert.deepEqual(ofKind(records, 'retrying'), []);
  assert.deepEqual(ofKind(records, 'integrity'), []);
  assert.equal(ofKind(records, 'table-header').length, 1);
  // The table leaves out the counts where longer texts need their space.
  assert.deepEqual(
    machineRecords(records, 'stage').map(({ operations, errors }) => [operations, errors]),
    STAGE_NAMES.map(() => [workload.objects, {}]),
  );
}

/**
 * @param {readonly LogRecord[]} records of one stage
 * @param {Workload} workload
 */
function assertWholeStage(records, { objects, threads, buckets, objectSize }) {
  const [schedule] = ofKind(records, 'schedule');
  assert.deepEqual({ ...schedule }, { kind: 'schedule', stage: schedule.stage, objects, threads, buckets });

  const perSecond = ofKind(records, 'second').map(({ operationsPerSecond }) => operationsPerSecond);
  assert.equal(sum(perSecond), objects, `the second lines of ${schedule.stage} add up to its total`);

  const [summary] = ofKind(records, 'summary');
  assert.equal(summary.recoverableErrors, 0);
  assert.equal(summary.megabytes, Number(((objects * objectSize) / MEBIBYTE).toFixed(1)));
  // The line rounds both the duration (to 1 ms) and the mean (to 0.1).
  const { milliseconds, averageOperationsPerSecond: mean, peakOperationsPerSecond: peak } = summary;
  assertBetween(mean, (objects / (milliseconds + 1)) * 1000 - 0.1, (objects / (milliseconds - 1)) * 1000 + 0.1);
  assertBetween(peak, mean, Math.max(mean, ...perSecond));

  const latencies = ofKind(records, 'latency');
  assert.ok(latencies.some(({ of }) => of === 'latency'));
  for (const { minimum, p50, p90, p95, p99, p999, maximum } of latencies) {
    const levels = [minimum, p50, p90, p95, p99, p999, maximum];
    assert.deepEqual(
      levels,
      levels.toSorted((one, other) => one - other),
    );
    assertBetween(maximum, minimum, milliseconds + 1);
  }

  assert.equal(ofKind(records, 'table-row').length, 1);
}

/**
 * Each connection serves many requests. On a busy machine, one worker may complete a stage before another begins it, whose
 * connections are first used in a later stage.
 *
 * @param {readonly Record<string, any>[]} records of the connections in each stage
 * @param {{ objects: number, threads: number }} workload
 */
export function assertConnectionsKept(records, { objects, threads }) {
  records.forEach(({ opened, reused }) => assert.equal(opened + reused, objects));
  assertBetween(sum(records.map(({ opened }) => opened)), 1, threads);
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * @param {number} value
 * @param {number} lowest
 * @param {number} highest
 */
function assertBetween(value, lowest, highest) {
  assert.ok(value >= lowest && value <= highest, `expected ${lowest} to ${highest}, got ${value}`);
}
