import { INSTRUMENTS, namedForPrometheus } from '../lib/report/telemetry/run-metrics.js';
import { table } from './table.js';

/** @import { Instrument } from '../lib/report/telemetry/run-metrics.js' */

const TABLE = /(?<=^<!-- metrics -->\n).*?(?=^<!-- end of metrics -->$)/gms;

/**
 * @param {string} page
 * @returns {string} the page with all metrics
 */
export function withMetricTable(page) {
  return page.replace(
    TABLE,
    () => `\n${table([['metric', 'in Prometheus', 'type', 'unit', 'meaning'], ...INSTRUMENTS.map(rowOf)])}\n`,
  );
}

/** The result's schema has the rest of a counter's description. @param {Instrument} instrument */
function rowOf(instrument) {
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
