import { formatIsoSecond } from './peak-times.js';

/** @import { Aggregate } from '../merge/merge-hosts.js' */

/** Rows that are handed on together, in characters. */
const CHUNK_LENGTH = 64 * 1024;

/** What makes a field of CSV need quotes (RFC 4180). */
const SPECIAL = /[",\r\n]/;

/**
 * The time series of all hosts: what each did in each second of each stage, named by the second's beginning.
 *
 * @param {Pick<Aggregate, 'timeSeries' | 'isDated'>} aggregate
 * @returns {Generator<string, void, undefined>} some rows at a time
 */
export function* peakCsv({ timeSeries, isDated }) {
  let text = 'second_start,stage,host,ops,bytes\n';
  for (const { second, stage, host, operations, bytes } of timeSeries()) {
    // The mean of two rates of the old tool has more digits than it is worth.
    const ops = Number(operations.toFixed(2));
    text += `${formatIsoSecond(second, isDated)},${stage},${field(host)},${ops},${Math.round(bytes)}\n`;
    if (text.length > CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/** @param {string} text */
function field(text) {
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
