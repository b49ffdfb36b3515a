import { listed } from './names.js';
import { formatHostRows } from './peak-hosts.js';
import { shareOf, stageLines } from './peak-stage.js';

/**
 * @import { Aggregate } from '../merge/merge-hosts.js'
 * @import { StageAggregate } from '../merge/aggregate-stage.js'
 */

const LABEL_WIDTH = 'Mean, whole seconds'.length + 2;

/** Below this share of the time in the stage, hosts were not together enough for one measurement. */
const ENOUGH_OVERLAP = 0.8;

const ADVICE = 'start them all with --start-at next:60s, and with --duration they stay together';

/**
 * What there is to read behind the peaks: hosts and clocks, and a block for each stage.
 *
 * @param {Aggregate} aggregate
 * @returns {string} lines of text
 */
export function formatPeakBlocks(aggregate) {
  const { hosts, clocks, stages, isDated } = aggregate;
  const names = hosts.map(({ name }) => name);
  const head = [row('Hosts', `${hosts.length}: ${listed(names)}`), ...clockLines(clocks)];
  const blocks = stages.map((stage) => [
    stage.stage,
    ...stageLines(stage, isDated).map(([label, text]) => `  ${row(label, text)}`),
    '',
    ...formatHostRows(stage).map((line) => `  ${line}`),
  ]);
  return [head, ...blocks, ...advice(stages)].map((lines) => `\n${lines.join('\n')}\n`).join('');
}

/**
 * What to do where hosts were not together.
 *
 * @param {readonly StageAggregate[]} stages
 * @returns {string[][]}
 */
function advice(stages) {
  const apart = stages.filter(
    ({ overlap, hosts }) => hosts > 1 && overlap !== null && shareOf(overlap) < ENOUGH_OVERLAP,
  );
  const names = apart.map(({ stage }) => stage).join(', ');
  return apart.length === 0 ? [] : [[`The hosts were not together in ${names}: ${ADVICE}.`]];
}

/**
 * @param {Aggregate['clocks']} clocks
 * @returns {string[]}
 */
function clockLines({ worst, trusted, withoutMachineLines }) {
  const lines = [];
  if (worst !== null) {
    lines.push(`the seconds are the store's, within ±${worst.uncertainty.toFixed(1)} ms at worst (${worst.host})`);
  }
  if (trusted.length > 0) {
    lines.push(`trusted, because no offset to the store's clock was measured: those of ${listed(trusted)}`);
  }
  if (withoutMachineLines.length > 0) {
    const assumption =
      'lines are rates over about a second, aligned by time of day, the day assumed, the clock trusted';
    lines.push(`no machine lines in the log of ${listed(withoutMachineLines)}: ${assumption}`);
  }
  return lines.map((line, place) => row(place === 0 ? 'Clocks' : '', line));
}

/**
 * @param {string} label
 * @param {string} text
 */
function row(label, text) {
  return `${label.padEnd(LABEL_WIDTH)}${text}`;
}
