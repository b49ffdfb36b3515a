import { linesOfHost } from '../helpers/host-lines.js';
import { DEFAULTS, planHosts } from '../helpers/host-plan.js';
import { machineLine, parseLine } from '../../lib/result/log/lines.js';
import { LogReader } from '../../lib/result/log/read-log.js';
import { mergeRuns } from '../../lib/result/merge/merge.js';
import { COUNT_NAMES } from '../../lib/result/counters.js';
import { UNKNOWN_LATENCY } from '../../lib/result/histogram.js';
import { placeOf } from '../../lib/text/plain-text.js';
import { formatTimeOfDay } from '../../lib/text/units.js';

export { machineLine };

export const NOON = Date.parse('2026-01-31T12:00:00Z');

/**
 * @import { ReadRun } from '../../lib/result/log/read-log.js'
 * @import { MergedStage } from '../../lib/result/merge/merge.js'
 *
 * @typedef {ReturnType<typeof aggregateOf>} Aggregate
 * @typedef {ReturnType<typeof flat>} StageAggregate
 */

/**
 * @param {Partial<typeof DEFAULTS>} options
 * @returns {Record<string, string[]>} lines of generated logs, by file name
 */
export function madeLogs(options) {
  const plans = planHosts({ ...DEFAULTS, ...options });
  return Object.fromEntries(
    plans.map((plan) => [`log-${plan.host}.txt`, [...linesOfHost(plan)].map(({ text }) => text)]),
  );
}

/**
 * @param {Record<string, Iterable<string>>} files lines by name
 * @returns the merge of these logs as `merged`, and the parts that tests look at
 */
export function aggregateOf(files) {
  const merged = mergeRuns(Object.entries(files).flatMap(([file, lines]) => runsOf(file, lines)));
  const { result } = merged;
  const names = [...new Set(result.hosts.map(({ merge }) => merge?.name))];
  return {
    merged,
    ...merged,
    ...result.merge,
    hosts: names.map((name) => ({ name })),
    stages: result.stages.map(flat),
  };
}

/**
 * @param {string} file
 * @param {Iterable<string>} lines
 * @returns {ReadRun[]}
 */
export function runsOf(file, lines) {
  /** @type {ReadRun[]} */
  const runs = [];
  const log = new LogReader(
    file,
    (run) => runs.push(run),
    () => {},
  );
  let number = 0;
  for (const text of lines) {
    number += 1;
    const line = parseLine(text);
    if (line !== null) {
      log.add(number, line);
    }
  }
  log.end();
  return runs;
}

/** @param {MergedStage} stage */
function flat({ merge, latency, ...stage }) {
  const counts = Object.fromEntries(COUNT_NAMES.map((name) => [name, Number(stage[name])]));
  // Each iteration computes the seconds again, so two stages are never equal as they are.
  return { ...stage, ...merge, counts, latency: latency.operations, seconds: null };
}

/**
 * @param {Aggregate} aggregate
 * @param {string} [name]
 * @returns {StageAggregate}
 */
export function stageOf(aggregate, name = 'Write') {
  return /** @type {StageAggregate} */ (aggregate.stages.find(({ stage }) => stage === name));
}

/**
 * @param {Aggregate} aggregate
 * @returns {string[]} with file and line, and a leading `!` if something is missing from the total
 */
export function warningsOf({ warnings }) {
  return warnings.map((warning) => `${warning.incomplete ? '!' : ''}${placeOf(warning)}: ${warning.message}`);
}

/**
 * @param {readonly string[]} lines
 * @param {Record<string, unknown>} change
 * @returns {string[]} the log with a changed run line
 */
export function withRunLine(lines, change) {
  const data = JSON.parse(lines[0].slice(lines[0].indexOf('{')));
  return [machineLine({ ...data, ...change }), ...lines.slice(1)];
}

/**
 * @param {string} time
 * @param {number} rate
 * @param {string} [stage]
 */
export function secondLine(time, rate, stage = 'Write') {
  return `${time}: ${stage}: Ops ${rate.toFixed(1)}/s Throughput 0.0MB/s`;
}

/** @param {string} [stage] */
export function scheduleLine(stage = 'Write') {
  return `${stage}: scheduling for 10000 objects in 1000 threads and 1 buckets`;
}

/**
 * @param {number} peak
 * @param {string} [stage]
 */
export function summaryLine(peak, stage = 'Write') {
  return `${stage} took 1000ms. Peak ops ${peak.toFixed(1)}/s Avg ops 0.0/s  Total size 0.0MB  Recoverable errors 0`;
}

/**
 * The machine line of a stage.
 *
 * @param {string} stage
 * @param {{ startedAt: number, endedAt: number, operations: number, bytes?: number }} fields and others
 */
export function stageLine(stage, fields) {
  const duration = fields.endedAt - fields.startedAt;
  const totals = { end: 'complete', duration, average: null, peak: null, bytes: 0, attempts: fields.operations };
  return machineLine({ kind: 'stage', stage, ...totals, errors: {}, latency: UNKNOWN_LATENCY, ...fields });
}

/**
 * A complete log whose stages follow each other without a pause, with no operations.
 *
 * @param {object} run
 * @param {string | null} [run.host]
 * @param {string} [run.run] its id
 * @param {string | null} [run.shard]
 * @param {number} [run.start] epoch ms
 * @param {number} [run.length] ms of a stage
 * @param {readonly string[]} [run.stages]
 * @param {object} [run.options]
 * @returns {string[]}
 */
export function idleLog({ start = NOON, length = 10_000, stages = ['Write'], options, ...run }) {
  const facts = { kind: 'run', format: 1, run: 'a', host: 'fra-1', shard: '0/1', start: new Date(start).toISOString() };
  const names = stages.map((stage) => stage.toLowerCase());
  const lines = stages.flatMap((stage, index) => {
    const from = start + index * length;
    const times = { startedAt: from, endedAt: from + length, operations: 0 };
    const second = secondLine(formatTimeOfDay(Math.floor(from / 1000) + 1), 0, stage);
    return [scheduleLine(stage), second, stageLine(stage, times)];
  });
  const head = machineLine({ ...facts, options: { stages: names, ...options }, ...run });
  return [head, ...lines, machineLine({ kind: 'end' })];
}
