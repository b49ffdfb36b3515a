import { addCounts } from '../model/counters.js';
import { MEGABYTE } from '../log/units.js';
import { HostRun } from './host-run.js';

/**
 * @import { SummaryRecord } from '../log/log-line.js'
 * @import { Result, StageSum } from '../model/result.js'
 * @import { Intake } from './intake.js'
 * @import { LineCounts, RunLine, StageLine } from './machine-facts.js'
 */

/**
 * Takes in the result of a run, which holds what the log of the run holds: both give the same sums.
 *
 * @param {string} file
 * @param {Result} result
 * @param {Intake} intake
 */
export function addResult(file, result, intake) {
  const refused = whyNotCounted(result);
  if (refused !== null) {
    intake.addWarning({ file, line: null, message: refused, incomplete: true });
    return;
  }
  const run = new HostRun({ file, line: null, facts: runLineOf(result), isDated: true, shared: intake.shared });
  if (!intake.takeRun(run)) {
    return;
  }
  run.readFrom(result);
  for (const stage of result.stages) {
    if (typeof stage.startedAt !== 'number' || typeof stage.endedAt !== 'number') {
      const message = `${stage.stage} does not say when it was: it is not counted`;
      intake.addWarning({ file, line: null, message, incomplete: true });
    } else {
      run.addStage(stage, { facts: stageLineOf(stage), summary: summaryOf(stage) });
    }
  }
}

/**
 * @param {Result} result
 * @returns {string | null} null where it can be added up
 */
function whyNotCounted({ hosts, merge, options }) {
  if (merge !== undefined || hosts.length !== 1) {
    return `what ${hosts.length} hosts did together, which cannot be taken apart: it is not counted; give their logs or results`;
  }
  return options?.findPeak ? 'a search with --find-peak, which cannot be added up: it is not counted' : null;
}

/**
 * @param {Result} result of one host
 * @returns {RunLine} what the first machine line of its log says
 */
function runLineOf({ hosts: [{ run, host, shard, start, clock, versions, options }] }) {
  const stages = options?.stages ?? [];
  return {
    format: null,
    run,
    host,
    shard,
    start: start === null ? null : Date.parse(start),
    clock,
    size: options?.size ?? null,
    sizes: options?.sizes ?? null,
    access: options?.access ?? null,
    mix: options?.mix ?? null,
    versions,
    options,
    stages: stages.map((name) => name[0].toUpperCase() + name.slice(1)),
    isSearch: false,
    unusable: [],
  };
}

/**
 * @param {Omit<StageSum, 'seconds'>} result
 * @returns {StageLine} what the machine line of its totals says
 */
function stageLineOf(result) {
  const { stage, end, startedAt, endedAt, paused, warmup, drain, objects, threads, errors, bottleneck, storeClock } =
    result;
  const counts = /** @type {LineCounts} */ (/** @type {unknown} */ (addCounts([result])));
  const [start, stop] = [startedAt ?? 0, endedAt ?? 0].map(inMicroseconds);
  return {
    stage,
    end: end ?? 'unknown',
    objects: objects ?? null,
    threads: threads ?? null,
    start,
    stop,
    paused: inMicroseconds(paused ?? 0),
    measuredFrom: Math.min(start + inMicroseconds(warmup ?? 0), stop),
    measured: Math.max(counts.operations - Number(counts.warmupOperations), 0),
    measuredUntil: Math.max(stop - inMicroseconds(drain ?? 0), start),
    drained: Number(counts.drainOperations),
    clock: storeClock ?? null,
    limitedBy: bottleneck?.cause ?? null,
    counts,
    errors: Object.entries(errors),
    further: result.further ?? {},
    unusable: [],
    unknown: [],
  };
}

/**
 * @param {Omit<StageSum, 'seconds'>} result
 * @returns {SummaryRecord} the line after its last second
 */
function summaryOf({ stage, duration, peak, average, bytes, retries }) {
  return {
    kind: 'summary',
    stage,
    milliseconds: Math.round(duration ?? 0),
    peakOperationsPerSecond: inTenths(peak ?? 0),
    averageOperationsPerSecond: inTenths(average ?? 0),
    megabytes: bytes / MEGABYTE,
    recoverableErrors: retries ?? 0,
  };
}

/** @param {number} milliseconds as the log has them */
function inMicroseconds(milliseconds) {
  return Math.round(milliseconds * 1000) / 1000;
}

/** @param {number} rate as the log has it */
function inTenths(rate) {
  return Number(rate.toFixed(1));
}
