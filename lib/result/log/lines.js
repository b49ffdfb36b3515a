import { MEGABYTE, formatTimeOfDay } from '../../text/units.js';

/**
 * The log lines that are read back: the four shapes of lines that the original tool also writes, and the machine lines.
 * A second's `time` is its end, `HH:MM:SS` in UTC; its `megabytes` are per second; `duration` in ms, rates in ops/s.
 *
 * @typedef {{ kind: 'schedule', stage: string, objects: number }} ScheduleLine
 * @typedef {{ kind: 'second', time: string, stage: string, rate: number, megabytes: number }} SecondLine
 * @typedef {{ kind: 'retrying', retries: number }} RetryingLine
 * @typedef {{ kind: 'summary', stage: string, duration: number, peak: number, average: number, megabytes: number,
 *   retries: number }} SummaryLine
 * @typedef {{ kind: 'machine', data: Record<string, unknown> }} MachineLine
 * @typedef {{ kind: 'unreadable' }} UnreadableLine a machine line that was changed
 * @typedef {ScheduleLine | SecondLine | RetryingLine | SummaryLine | MachineLine | UnreadableLine} LogLine
 */

/** Characters. Longer lines are not log lines. */
export const MAX_LINE_LENGTH = 8192;

const MACHINE = '# r2-benchmark ';

// The capital letter rules out most text of other programs, and the names of Object.prototype's properties.
const STAGE = '([A-Z][A-Za-z0-9-]{0,31})';
const COUNT = '(0|[1-9][0-9]{0,14})';
const RATE = '((?:0|[1-9][0-9]{0,11})\\.[0-9])';
const TIME = '((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])';

const STAGE_NAME = new RegExp(`^${STAGE}$`);
const SECOND = new RegExp(`^${TIME}: ${STAGE}: Ops ${RATE}/s Throughput ${RATE}MB/s$`);
const SCHEDULE = new RegExp(`^${STAGE}: scheduling for ${COUNT} objects in ${COUNT} threads and ${COUNT} buckets$`);
const RETRYING = new RegExp(`^Retrying on TRANSIENT error(?: \\(${COUNT} more\\))?$`);
const SUMMARY = new RegExp(
  `^${STAGE} took ${COUNT}ms\\. Peak ops ${RATE}/s Avg ops ${RATE}/s  Total size ${RATE}MB  Recoverable errors ${COUNT}$`,
);

/** @param {{ stage: string, objects: number, threads: number, buckets: number }} plan */
export function scheduleLine({ stage, objects, threads, buckets }) {
  return `${stage}: scheduling for ${objects} objects in ${threads} threads and ${buckets} buckets`;
}

/**
 * The line's time is the end of the second. Counts are not scaled up if the stage covers only part of the second.
 *
 * @param {string} stage in a line about one operation of a mix, followed by the operation: readers skip such lines
 * @param {{ secondStart: number, operations: number, bytes: number }} second
 */
export function secondLine(stage, { secondStart, operations, bytes }) {
  const time = formatTimeOfDay(secondStart + 1);
  return `${time}: ${stage}: Ops ${operations.toFixed(1)}/s Throughput ${inMegabytes(bytes)}MB/s`;
}

/** @param {number} retries at least one */
export function retryingLine(retries) {
  return `Retrying on TRANSIENT error${retries === 1 ? '' : ` (${retries - 1} more)`}`;
}

/**
 * @param {string} stage as in {@link secondLine}
 * @param {{ duration: number, peak: number, average: number, bytes: number, retries: number }} totals
 */
export function summaryLine(stage, { duration, peak, average, bytes, retries }) {
  const rates = `Peak ops ${peak.toFixed(1)}/s Avg ops ${average.toFixed(1)}/s`;
  return `${stage} took ${Math.round(duration)}ms. ${rates}  Total size ${inMegabytes(bytes)}MB  Recoverable errors ${retries}`;
}

/**
 * @param {Record<string, unknown>} data
 * @param {(name: string, value: unknown) => unknown} [replace] each value
 */
export function machineLine(data, replace) {
  return MACHINE + JSON.stringify(data, replace);
}

/**
 * Takes time linear in the length of the line.
 *
 * @param {string} text without a line feed
 * @returns {LogLine | null} null if it is not a log line
 */
export function parseLine(text) {
  if (text.length > MAX_LINE_LENGTH) {
    return null;
  }
  // Almost every line of a log reports a second. Only these lines and machine lines start with a digit or `#`.
  if (text.charCodeAt(0) <= 0x39) {
    return text.startsWith(MACHINE) ? parseMachineLine(text) : parseSecond(text);
  }
  const retrying = RETRYING.exec(text);
  if (retrying !== null) {
    return { kind: 'retrying', retries: 1 + Number(retrying[1] ?? 0) };
  }
  const [, scheduled, objects] = SCHEDULE.exec(text) ?? [];
  if (scheduled !== undefined) {
    return { kind: 'schedule', stage: scheduled, objects: Number(objects) };
  }
  const [, stage, ...figures] = SUMMARY.exec(text) ?? [];
  const [duration, peak, average, megabytes, retries] = figures.map(Number);
  return stage === undefined ? null : { kind: 'summary', stage, duration, peak, average, megabytes, retries };
}

/** Also accepts the names of stages that only another version knows. @param {string} text */
export function isStageName(text) {
  return STAGE_NAME.test(text);
}

/**
 * @param {string} text
 * @returns {SecondLine | null}
 */
function parseSecond(text) {
  const [, time, stage, rate, size] = SECOND.exec(text) ?? [];
  return time === undefined ? null : { kind: 'second', time, stage, rate: Number(rate), megabytes: Number(size) };
}

/**
 * @param {string} text starts like a machine line
 * @returns {MachineLine | UnreadableLine}
 */
function parseMachineLine(text) {
  try {
    const data = JSON.parse(text.slice(MACHINE.length));
    return typeof data === 'object' && data !== null && !Array.isArray(data)
      ? { kind: 'machine', data }
      : { kind: 'unreadable' };
  } catch {
    return { kind: 'unreadable' };
  }
}

/** @param {number} bytes */
function inMegabytes(bytes) {
  return (bytes / MEGABYTE).toFixed(1);
}
