import { FIGURES } from '../lib/result/figures/catalogue.js';
import { describeUnits } from '../lib/result/figures/quantities.js';
import { table } from './table.js';

/** @import { Figure } from '../lib/result/figures/catalogue.js' */

const TABLE = /(?<=^<!-- figures -->\n).*?(?=^<!-- end of figures -->$)/gms;

/**
 * @param {string} page
 * @returns {string} the page with the figures that --assert accepts
 */
export function withFigureTable(page) {
  const rows = FIGURES.filter(({ name, isLatency }) => !isLatency || name.endsWith('p50')).map(rowOf);
  return page.replace(TABLE, () => `\n${table([['figure', 'of', 'units', 'meaning'], ...rows])}\n`);
}

/** One row stands for all percentiles of a latency. @param {Figure} metric */
function rowOf({ name, isLatency, value, fromRun, quantity, meaning }) {
  return [
    isLatency ? `\`${name}\` … \`${name.replace('p50', 'max')}\`` : `\`${name}\``,
    value === null ? 'all' : fromRun === null ? 'a stage' : 'a stage, all',
    describeUnits(quantity).replace('a number alone', 'number'),
    isLatency ? meaning.replace(/: .*/, '') : meaning,
  ];
}
