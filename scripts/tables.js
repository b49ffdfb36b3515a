import { INSTRUMENTS, namedForPrometheus } from '../lib/report/telemetry/run-metrics.js';
import { FIGURES } from '../lib/result/figures/catalogue.js';
import { describeUnits } from '../lib/result/figures/quantities.js';

/**
 * @import { Instrument } from '../lib/report/telemetry/run-metrics.js'
 * @import { Figure } from '../lib/result/figures/catalogue.js'
 */

/**
 * @param {readonly (readonly string[])[]} rows headings first
 * @returns {string} a Markdown table
 */
export function table([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length), '---'.length));
  const rule = widths.map((width) => '-'.repeat(width));
  const lines = [head, rule, ...rows].map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join(' | '));
  return lines.map((line) => `| ${line} |\n`).join('');
}

/**
 * @param {string} page with markers such as `<!-- figures -->` or `<!-- options of load -->`, and `<!-- end of figures -->`
 * @param {string} kind of the tables, such as `figures`
 * @param {(name: string) => string} tableOf the name in a marker
 * @returns {string} the page with its tables of this kind
 */
export function withTables(page, kind, tableOf) {
  const tables = new RegExp(`(?<=^<!-- ${kind}(?: of (\\w+))? -->\\n).*?(?=^<!-- end of ${kind} -->$)`, 'gms');
  return page.replace(tables, (_, name) => `\n${tableOf(name)}\n`);
}

/** @returns {string} a table of the figures that --assert accepts */
export function figureTable() {
  const figures = FIGURES.filter(({ name, isLatency }) => !isLatency || name.endsWith('p50'));
  return table([['figure', 'of', 'units', 'meaning'], ...figures.map(rowOfFigure)]);
}

/** One row stands for all percentiles of a latency. @param {Figure} metric */
function rowOfFigure({ name, isLatency, value, fromRun, quantity, meaning }) {
  return [
    isLatency ? `\`${name}\` … \`${name.replace('p50', 'max')}\`` : `\`${name}\``,
    value === null ? 'all' : fromRun === null ? 'a stage' : 'a stage, all',
    describeUnits(quantity).replace('a number alone', 'number'),
    isLatency ? meaning.replace(/: .*/, '') : meaning,
  ];
}

/** @returns {string} a table of the exported metrics */
export function metricTable() {
  return table([['metric', 'in Prometheus', 'type', 'unit', 'meaning'], ...INSTRUMENTS.map(rowOfInstrument)]);
}

/** The result's schema has the rest of a counter's description. @param {Instrument} instrument */
function rowOfInstrument(instrument) {
  const { name, type, unit, description } = instrument;
  return [`\`${name}\``, `\`${prometheusName(instrument)}\``, type, `\`${unit}\``, description.replace(/\. .*/, '.')];
}

/**
 * @param {Instrument} instrument
 * @returns {string} what it is called in Prometheus
 */
export function prometheusName({ name, type, unit }) {
  return `${namedForPrometheus(name, unit).name.replace(/\W/g, '_')}${type === 'counter' ? '_total' : ''}`;
}
