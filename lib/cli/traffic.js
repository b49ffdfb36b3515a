import { costLine } from '../report/cost-line.js';
import { readTraffic } from '../run/read-traffic.js';
import { resolve } from '../options/resolve.js';
import { fitOf } from '../replay/fit.js';
import { FORMATS } from '../replay/log-formats.js';
import { busiestMinute, closeChanges } from '../replay/rates.js';
import { counted, decimal, rounded } from '../text/figures.js';
import { plainText } from '../text/plain-text.js';
import { MEGABYTE, formatDuration } from '../text/units.js';
import { meanRateOf } from '../workload/trace.js';

/**
 * @import { StoreConfig } from '../model/config.js'
 * @import { ReadLogs } from '../replay/read-logs.js'
 * @import { Trace } from '../model/config.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Program } from './main.js'
 */

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
    terminal.out(fitText(trace, `${invocation.benchmark} ${trace.objects} ${given.threads}`));
    return 0;
  }
  const config = resolve({ ...options, runId: 'dry-run' }, { ...CONTEXT, env, store: PRICED_STORE });
  const mix = options.mix ?? [];
  const sum = (/** @type {Float64Array} */ sizes) => sizes.reduce((total, size) => total + size, 0) / MEGABYTE;
  const lines = [
    ...linesOfLogs(logs),
    `Requests: ${rounded(trace.requests)} in ${formatDuration(trace.length)}, from ${new Date(logs.recorded.firstAt + given.from).toISOString()}`,
    ...mix.map(({ operation, share }) => {
      const count = Math.round((share * trace.requests) / 100);
      return `  ${operation.padEnd(14)}${rounded(count).padStart(12)}  ${decimal(share)}%`;
    }),
    `Objects: ${rounded(trace.objects)} with ${decimal(sum(trace.sizes))} MB; ${rounded(trace.prepared)} with ${decimal(sum(trace.sizes.subarray(0, trace.prepared)))} MB are written first`,
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
 * @param {string} command
 */
function fitText(trace, command) {
  const { mix, size, access, rangeSize, rate } = fitOf(trace);
  const shares = Array.from(mix, ([name, share]) => `${name}=${share}`).join(',');
  const what = mix.size > 1 ? `--mix ${shares}` : `--stages write,${[...mix.keys()].join()},remove`;
  const range = rangeSize > 0 ? ` --range-size ${rangeSize}` : '';
  return `${command} ${what} --size ${size} --access ${access}${range} --rate ${rate.toFixed(1)} --arrival poisson --duration 60s`;
}
