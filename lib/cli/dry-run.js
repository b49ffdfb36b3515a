import { busiestMinute, closeChanges } from '../load/replay/rates.js';
import { meanRateOf } from '../load/workload/trace.js';
import { DOLLARS_PER_GB_MONTH, FREE_PER_MONTH, dollarsFor } from '../run/prices.js';
import { objectsForMix, objectsForRate } from '../options/conditions.js';
import { resolve } from '../options/resolve.js';
import { formatMix } from '../options/values.js';
import { fitOf } from '../load/replay/fit.js';
import { FORMATS } from '../load/replay/log-formats.js';
import { costLine } from '../report/cost-line.js';
import { forecastOf, totalOf } from '../run/forecast.js';
import { checkCost, prepareRun } from '../run/prepare-run.js';
import { readTraffic } from '../run/read-traffic.js';
import { counted, decimal, rounded } from '../text/figures.js';
import { plainText } from '../text/plain-text.js';
import { MEGABYTE, formatDuration, formatMegabytes, formatTime } from '../text/units.js';
import { sizeText } from '../load/workload/size-distribution.js';
import { EXIT } from './exit-status.js';

/**
 * @import { Config, ReplayConfig, StoreConfig, Trace } from '../result/config.js'
 * @import { ReadLogs } from '../load/replay/read-logs.js'
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
      ? `${counted(objects.count, 'object')} of ${sizeText(objects)} under ${objects.prefix}/${objects.runId}/`
      : `up to ${rounded(objects.count)} existing objects under ${objects.existing === '' ? '*' : objects.existing}`;
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
        ...[operations, requests.A, requests.B, requests.free].map((count) => (count === 0 ? '-' : rounded(count))),
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

const MAX_ACTION_LENGTH = 60;

/** R2, where a replay costs something. */
const PRICED_STORE = /** @type {StoreConfig} */ (
  /** @type {unknown} */ ({ buckets: [''], hostname: 'account.r2.cloudflarestorage.com' })
);

/**
 * Shows what logs contain, or the options of a run that resembles them.
 *
 * @param {CommandLine} given
 * @param {Program} program
 */
export async function showTraffic(given, { env, terminal, invocation }) {
  const { logs, trace, options } = await readTraffic(given, env);
  if (given.fit) {
    terminal.out(`${invocation.benchmark} ${fitText(trace, given.threads)}`);
    return 0;
  }
  const config = resolve({ ...options, runId: 'dry-run' }, { ...CONTEXT, env, store: PRICED_STORE });
  const mix = options.mix ?? [];
  checkCost(config);
  const { first, count: prepared } = /** @type {ReplayConfig} */ (config.load.replay).prepare;
  const sum = (/** @type {Float64Array} */ sizes) => sizes.reduce((total, size) => total + size, 0) / MEGABYTE;
  const lines = [
    ...linesOfLogs(logs),
    `Requests: ${rounded(trace.requests)} in ${formatDuration(trace.length)}, from ${new Date(logs.recorded.firstAt + given.from).toISOString()}`,
    ...mix.map(({ operation, share }) => {
      const count = Math.round((share * trace.requests) / 100);
      return `  ${operation.padEnd(14)}${rounded(count).padStart(12)}  ${decimal(share)}%`;
    }),
    `Objects: ${rounded(trace.objects)} with ${decimal(sum(trace.sizes))} MB; ${rounded(prepared)} with ${decimal(sum(trace.sizes.subarray(first, first + prepared)))} MB are written first`,
    ...linesOfSpeed(trace, given.speed),
    String(costLine(config)),
  ];
  terminal.out(lines.join('\n'));
  return 0;
}

const CONTEXT = { availableCores: 1, now: 0, random: () => 0 };

/** @param {ReadLogs} logs */
function linesOfLogs({ recorded, formats, unreadable, unreadableAt }) {
  const others = Array.from(
    recorded.others,
    ([name, count]) => `${plainText(name, MAX_ACTION_LENGTH)} ${rounded(count)}`,
  );
  return [
    `Logs: ${formats.map((name) => FORMATS[name]).join(', ')}`,
    ...(recorded.failed > 0 ? [`Left out: ${counted(recorded.failed, 'failed request')}`] : []),
    ...(others.length > 0 ? [`Not replayed: ${others.join(', ')}`] : []),
    ...(unreadable > 0 ? [`Unreadable: ${counted(unreadable, 'line')}, first ${unreadableAt.join(', ')}`] : []),
  ];
}

/**
 * @param {Trace} trace
 * @param {number} speed
 */
function linesOfSpeed(trace, speed) {
  const close = closeChanges(trace, speed);
  return [
    `At ${speed}x: ${decimal(speed * meanRateOf(trace))} requests per second in ${formatDuration(trace.length / speed)}, ${decimal(busiestMinute(trace, speed))} per second in the busiest minute`,
    ...(close > 0
      ? [`Waiting on R2: ${counted(close, 'change')} within a second of another change of the same key`]
      : []),
  ];
}

/**
 * @param {Trace} trace
 * @param {number} threads
 */
function fitText(trace, threads) {
  const fit = fitOf(trace);
  const isMix = fit.mix.size > 1;
  const rate = Math.max(fit.rate, 0.1).toFixed(1);
  const mix = isMix ? Array.from(fit.mix, ([operation, share]) => ({ operation, share })) : [];
  const load = { mix, rate: Number(rate), threads };
  const objects = Math.max(trace.objects, objectsForMix(load), objectsForRate(load));
  const stages = new Set(['write', ...fit.mix.keys(), 'remove']);
  const what = isMix ? `--mix ${formatMix(mix)}` : `--stages ${[...stages].join()}`;
  const access = fit.access === '' ? '' : ` --access ${fit.access}`;
  const range = fit.rangeSize > 0 ? ` --range-size ${fit.rangeSize}` : '';
  return `${objects} ${threads} ${what} --size ${fit.size}${access}${range} --rate ${rate} --arrival poisson --duration 60s`;
}
