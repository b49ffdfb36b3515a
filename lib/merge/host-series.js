import { Histogram } from '../model/histogram.js';
import { encodeSeconds } from '../model/host-series.js';
import { secondsOf } from './seconds.js';

/**
 * @import { HostSeries, MinuteLatency } from '../model/result.js'
 * @import { StageView } from './hosts.js'
 */

const MINUTE = 60;

/** A week: no stage lasts longer, and each second takes memory. */
const MAX_SECONDS = 7 * 24 * 60 * 60;

/**
 * A host's counts per second of a stage, and its latencies per minute: latencies per second would take a hundred times
 * the space.
 *
 * @param {StageView} view
 * @returns {HostSeries | null} null if the log has no seconds, or they span more than a week
 */
export function hostSeries(view) {
  const { series, shift } = view;
  if (series.extent === null || series.extent.last - series.extent.first >= MAX_SECONDS) {
    return null;
  }
  const secondStart = series.extent.first + shift;
  /** @type {(number | null)[]} */
  const tenths = [];
  /** @type {(number | null)[]} */
  const bytes = [];
  for (const { second, hosts } of secondsOf([view])) {
    while (tenths.length < second - secondStart) {
      tenths.push(null);
      bytes.push(null);
    }
    tenths.push(Math.round(hosts[0].tenths));
    bytes.push(Math.round(hosts[0].bytes));
  }
  return {
    secondStart,
    tenths: encodeSeconds(tenths),
    operationBytes: view.operations === 0 ? 0 : view.bytes / view.operations,
    ...(series.variesInBytes ? { bytes: encodeSeconds(bytes) } : {}),
    minutes: minutesOf(view),
  };
}

/**
 * @param {StageView} view
 * @returns {MinuteLatency[]} minutes in which operations completed
 */
function minutesOf({ series, shift }) {
  /** @type {Map<number, { sum: Histogram, maximum: number }>} */
  const minutes = new Map();
  for (const [second, { histogram, maximum }] of series.details()) {
    if (typeof histogram === 'string') {
      const minuteStart = Math.floor((second + shift) / MINUTE) * MINUTE;
      const minute = minutes.get(minuteStart) ?? { sum: new Histogram(), maximum: 0 };
      minute.sum.addEncoded(histogram);
      minute.maximum = Math.max(minute.maximum, maximum ?? 0);
      minutes.set(minuteStart, minute);
    }
  }
  return [...minutes].map(([minuteStart, { sum, maximum }]) => {
    const { p50 = 0, p99 = 0 } = sum.summary() ?? {};
    return { minuteStart, p50: Math.min(p50, maximum), p99: Math.min(p99, maximum), maximum, histogram: sum.encode() };
  });
}
