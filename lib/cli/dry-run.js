import { DOLLARS_PER_GB_MONTH, FREE_PER_MONTH } from '../cost/prices.js';
import { dollarsFor, forecastOf, totalOf } from '../run/forecast.js';
import { prepareRun } from '../run/prepare-run.js';
import { formatMegabytes, formatTime } from '../text/units.js';
import { sizeText } from '../workload/size-distribution.js';
import { EXIT } from './exit-status.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Program } from './main.js'
 */

/**
 * @param {CommandLine} options
 * @param {Program} program
 * @returns {Promise<number>} the exit status
 */
export async function dryRunByCommand(options, { env, invocation, terminal, stopRequest }) {
  const context = { env, now: Date.now(), random: Math.random, invocation, signal: stopRequest.signal };
  const { target, config } = await prepareRun(options, { ...context, takesSnapshots: false });
  try {
    dryRunLines([config], options.latency).forEach((line) => terminal.out(line));
    return EXIT.complete;
  } finally {
    await target.close();
  }
}

/**
 * @param {readonly [Config, ...Config[]]} configs of one run, or of all runs of a series
 * @param {number} latency ms that each request takes at least
 * @param {readonly string[]} [series] what the runs are
 * @returns {string[]} lines of at most 80 columns, unless names are long
 */
export function dryRunLines(configs, latency, series) {
  const [{ store, objects, load, schedule }] = configs;
  const { rows, isBound, stored } = forecastOf(configs, latency);
  const total = totalOf(rows);
  const { A, B } = total.requests;
  const dollars = dollarsFor(total.requests);
  const beyond = { A: Math.max(A - FREE_PER_MONTH.A, 0), B: Math.max(B - FREE_PER_MONTH.B, 0) };
  const most = isBound ? 'at most ' : '';
  const what =
    objects.existing === undefined
      ? `${objects.count} objects of ${sizeText(objects)} under ${objects.prefix}/${objects.runId}/`
      : `up to ${objects.count} existing objects under ${objects.existing === '' ? '*' : objects.existing}`;
  return [
    'Dry run: nothing was sent to the store.',
    ...(series ?? [
      `The run would use ${what}`,
      `in ${store.buckets.join(', ')} at ${store.isEmbedded ? 'an endpoint in memory' : store.hostname}, with ${load.threads} threads.`,
    ]),
    '',
    lineOf(['', 'Operations', 'Class A', 'Class B', 'Free', 'MiB', 'Time']),
    ...[...rows, { ...total, name: 'Total' }].map(({ name, operations, requests, bytes, time }) =>
      lineOf([
        name,
        ...[operations, requests.A, requests.B, requests.free].map((count) => (count === 0 ? '-' : String(count))),
        Number.isNaN(bytes) ? '?' : bytes === 0 ? '-' : formatMegabytes(bytes),
        `${(time / 1000).toFixed(1)}s`,
      ]),
    ),
    '',
    isBound
      ? `At most these requests are sent if each takes ${formatTime(latency)} or more (--latency).`
      : `It takes at least ${(total.time / 1000).toFixed(1)}s if each request takes ${formatTime(latency)} (--latency).`,
    `Stored: ${most}${formatMegabytes(stored)} MiB${objects.keep ? `, $${((stored / 1e9) * DOLLARS_PER_GB_MONTH).toFixed(4)} per month until they are removed` : ' during the run'}.`,
    `Cost at R2's list prices: ${most}$${dollars.toFixed(4)}, without retries.`,
    `After the free 1 million Class A and 10 million Class B of a month: $${dollarsFor(beyond).toFixed(4)}.`,
    ...(schedule.maxCost === undefined ? [] : [`--max-cost limits it to $${schedule.maxCost}.`]),
  ];
}

const WIDTHS = [17, 11, 10, 10, 10, 11, 9];

/** @param {readonly string[]} cells the first is aligned to the left */
function lineOf([name, ...cells]) {
  return [name.padEnd(WIDTHS[0]), ...cells.map((cell, index) => cell.padStart(WIDTHS[index + 1]))].join('').trimEnd();
}
