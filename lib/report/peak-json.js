/** @import { Aggregate } from '../hosts/merge-hosts.js' */

/** Version of the report's shape. */
const FORMAT = 1;

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
    stages: stages.map(({ counts, ...rest }) => ({ ...rest, ...counts })),
    warnings,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** @param {import('../hosts/host-run.js').HostRun} run */
function runReport({ line, facts }) {
  const { run = null, shard = null, start = null, size = null, clock = null } = facts ?? {};
  return { line, run, shard, start, size, clock };
}
