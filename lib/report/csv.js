import { csvTable } from '../result/figures/table.js';

/**
 * @import { Column } from '../result/figures/table.js'
 * @import { TimeSeriesRow } from '../result/merge/seconds.js'
 * @import { WritableResult } from '../result/write-result.js'
 * @import { ResultReporter } from './reporter.js'
 */

/**
 * @param {object} hosts
 * @param {() => Iterable<TimeSeriesRow>} hosts.timeSeries
 * @param {boolean} hosts.isDated whether the seconds are epoch seconds
 * @returns {Generator<string, void, undefined>} several rows at a time
 */
export function formatCsv({ timeSeries, isDated }) {
  /** @type {readonly Column<TimeSeriesRow>[]} */
  const columns = [
    {
      title: 'second_start',
      value({ second }) {
        const moment = new Date(second * 1000).toISOString().replace('.000', '');
        return isDated ? moment : moment.slice('1970-01-01T'.length, -1);
      },
    },
    { title: 'stage', value: ({ stage }) => stage },
    { title: 'host', value: ({ host }) => host },
    // Rates from the original tool's log are averaged, which produces meaningless digits.
    { title: 'ops', value: ({ operations }) => Number(operations.toFixed(2)) },
    { title: 'bytes', value: ({ bytes }) => Math.round(bytes) },
  ];
  return csvTable({ columns, rows: timeSeries() });
}

/** @param {WritableResult} result */
function* rowsOf({ host, stages }) {
  for (const { stage, seconds } of stages) {
    for (const { secondStart, operations, bytes } of seconds) {
      yield { second: secondStart, stage, host: host ?? '', operations, bytes };
    }
  }
}

/** @satisfies {ResultReporter} */
export const csvReporter = {
  option: 'csv',
  format: (result, hostSeconds = () => rowsOf(result)) =>
    formatCsv({ timeSeries: hostSeconds, isDated: result.merge?.isDated ?? true }),
};
