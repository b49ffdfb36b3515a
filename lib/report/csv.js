import { formatTimeOfDay } from '../text/units.js';
import { csvField } from './html/browser/seconds.js';

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
  let text = 'second_start,stage,host,ops,bytes\n';
  for (const { second, stage, host, operations, bytes } of timeSeries()) {
    // Rates from the original tool's log are averaged, which produces meaningless digits.
    const ops = Number(operations.toFixed(2));
    text += `${formatIsoSecond(second, isDated)},${stage},${csvField(host)},${ops},${Math.round(bytes)}\n`;
    if (text.length > CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/**
 * @param {number} second
 * @param {boolean} isDated
 * @returns {string} `2026-01-31T12:00:06Z`, or `12:00:06` if the date is unknown
 */
function formatIsoSecond(second, isDated) {
  return isDated ? `${new Date(second * 1000).toISOString().slice(0, -'.000Z'.length)}Z` : formatTimeOfDay(second);
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
