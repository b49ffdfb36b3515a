import { CSV_HEAD, csvLine, csvRows } from './html/browser/seconds.js';

/**
 * @import { TimeSeriesRow } from '../merge/seconds.js'
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

/** @satisfies {ResultReporter} */
export const csvReporter = {
  option: 'csv',
  format: (result, hostSeconds = () => csvRows(result)) =>
    formatCsv({ timeSeries: hostSeconds, isDated: result.merge?.isDated ?? true }),
};
