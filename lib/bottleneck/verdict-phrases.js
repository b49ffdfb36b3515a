import { counted, decimal, percent } from '../log/figures.js';
import { formatSize } from '../log/units.js';

/** @import { Evidence, SizeRate } from './verdict.js' */

/** @param {Evidence} evidence */
export function plateau({ search }) {
  return `more than ${counted(search?.knee ?? 0, 'thread')} brought no more`;
}

/** @param {Evidence} evidence */
export function latencies({ threads, p50, unloadedP50, unloadedSize }) {
  const size = unloadedSize === null ? '' : ` and objects of ${formatSize(unloadedSize)}`;
  const alone = `${threads === 1 ? 'before the run' : 'with one'}${size}`;
  return `median latency ${milliseconds(p50)} with ${counted(threads, 'thread')}, ${milliseconds(unloadedP50)} ${alone}`;
}

/** @param {Evidence} evidence */
export function sizes({ search }) {
  const of = (/** @type {SizeRate} */ { size, operationsPerSecond }) =>
    `${decimal(operationsPerSecond)}/s of ${formatSize(size)}`;
  return search?.secondSize ? `, ${of(search.secondSize.whole)} and ${of(search.secondSize.half)}` : '';
}

/** @param {Evidence} evidence */
export function room({ eventLoopUtilization, search }) {
  // A search tells that of the busiest of its steps at the peak.
  return `event loop ${search === null ? '' : 'up to '}${percent(eventLoopUtilization)} busy`;
}

/** @param {number | null} value ms */
export function milliseconds(value) {
  return value === null ? 'unknown' : `${value.toFixed(2)}ms`;
}
