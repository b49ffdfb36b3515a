import { METRICS } from '../lib/thresholds/metrics.js';
import { describeUnits } from '../lib/thresholds/quantities.js';
import { table } from './table.js';

/** @import { Metric } from '../lib/thresholds/metrics.js' */

const TABLE = /(?<=^<!-- figures -->\n).*?(?=^<!-- end of figures -->$)/gms;

/**
 * @param {string} page
 * @returns {string} the page with the figures that --assert accepts
 */
export function withFigureTable(page) {
  const rows = METRICS.filter(({ name, isLatency }) => !isLatency || name.endsWith('p50')).map(rowOf);
  return page.replace(TABLE, () => `\n${table([['figure', 'of', 'units', 'meaning'], ...rows])}\n`);
}

/** One row stands for all percentiles of a latency. @param {Metric} metric */
function rowOf({ name, isLatency, fromStage, fromRun, quantity, meaning }) {
  return [
    isLatency ? `\`${name}\` … \`${name.replace('p50', 'max')}\`` : `\`${name}\``,
    fromStage === null ? 'all' : fromRun === null ? 'a stage' : 'a stage, all',
    describeUnits(quantity).replace('a number alone', 'number'),
    isLatency ? meaning.replace(/: .*/, '') : meaning,
  ];
}
