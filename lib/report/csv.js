import { CSV_HEAD, csvLine } from './html/browser/seconds.js';

/**
 * @import { TimeSeriesRow } from '../merge/seconds.js'
 * @import { WritableResult } from '../model/write-result.js'
 * @import { ResultReporter } from './reporter.js'
 */

const CHUNK_LENGTH = 64 * 1024;

/**
 * @param {object} hosts
 * @param {() => Iterable<TimeSeriesRow>} hosts.timeSeries
 * @param {boolean} hosts.isDated whether the seconds are epoch seconds
 * @returns {Generator<string, void, undefined>} several rows at a time
 */
export function* formatCsv({ timeSeries, isDated }) {
  let text = CSV_HEAD;
  for (const row of timeSeries()) {
    text += csvLine(row, isDated);
    if (text.length > CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/**
 * @param {WritableResult} result
 * @returns {Generator<TimeSeriesRow, void, undefined>}
 */
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
