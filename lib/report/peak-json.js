/**
 * @import { HostRun } from '../merge/host-run.js'
 * @import { Aggregate } from '../merge/merge-hosts.js'
 */

/** Version of the report's shape. It is 2 since the peak's second is named `secondStart`. */
const FORMAT = 2;

/**
 * Everything that is known of all hosts together, but for the single seconds, as one JSON object; its shape is documented
 * in the README.
 *
 * @param {Aggregate} aggregate
 * @returns {string}
 */
export function peakJson({ peaks, isDated, hosts, clocks, stages, warnings }) {
  const report = {
    format: FORMAT,
    peaks,
    isDated,
    clocks,
    hosts: hosts.map(({ name, file, runs }) => ({ name, file, runs: runs.map(runReport) })),
    stages: stages.map(stageReport),
    warnings,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** @param {Aggregate['stages'][number]} stage */
function stageReport({ counts, peak: { second, ...peak }, stage, hosts, ...rest }) {
  return { stage, hosts, peak: { ...peak, secondStart: second }, ...rest, ...counts };
}

/** @param {HostRun} run */
function runReport({ line, facts }) {
  const { run = null, shard = null, start = null, size = null, clock = null } = facts ?? {};
  return { line, run, shard, start, size, clock };
}
