import { rateOf } from '../figures/stage-table.js';

/**
 * @import { StageSum } from '../model/result.js'
 * @import { Sweep } from '../series/sweep-plan.js'
 */

/** @type {Readonly<Record<string, (stage: StageSum) => unknown>>} */
const COLUMNS = {
  stage: ({ stage }) => stage,
  ops_per_second: (stage) => rateOf(stage),
  bytes_per_second: ({ averageBytes }) => averageBytes,
  p50_ms: ({ latency }) => latency.operations?.p50,
  p99_ms: ({ latency }) => latency.operations?.p99,
  operations: ({ operations }) => operations,
  failed: ({ failed }) => failed,
};

/**
 * A row per run and stage, or per run without stages.
 *
 * @param {Sweep} sweep
 * @returns {Generator<string, void, undefined>}
 */
export function* formatSweepCsv({ variables, cells, turns }) {
  yield lineOf([...variables.map(({ label }) => label), 'run', ...Object.keys(COLUMNS), 'problem']);
  for (const { cell, problem, result } of turns) {
    const values = variables.map(({ name }) => cells[cell].settings[name]);
    const figures = result?.stages.map((stage) => Object.values(COLUMNS).map((column) => column(stage))) ?? [];
    const rows = figures.length > 0 ? figures : [Object.keys(COLUMNS).map(() => null)];
    yield rows.map((row) => lineOf([...values, result?.run, ...row, problem])).join('');
  }
}

/** @param {readonly unknown[]} values */
function lineOf(values) {
  const cells = values.map((value) => {
    const text = String(value ?? '');
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\n`;
}
