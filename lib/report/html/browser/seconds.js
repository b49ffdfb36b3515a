/** @import { HostSeries, Result, SecondCount, SecondResult, StageShare, StageSum } from '../../../model/result.js' */

const SECOND = 1000;

/** A second with this many measured ms counts as whole: hosts that start together can be a few ms late. */
const MIN_WHOLE = 990;

/**
 * @typedef {{ operations: number, bytes: number }} Rate per second
 * @typedef {{ from: number, until: number }} Time epoch ms
 */

/** Rates to draw, by epoch second. @param {StageSum} stage */
export function ratesOfStage(stage) {
  const { seconds, average = null, averageBytes } = stage;
  const mean = average === null ? null : { operations: average, bytes: averageBytes ?? 0 };
  return ratesBySecond(seconds, measuredTimes(stage), mean);
}

/**
 * Drops incomplete seconds, because their low counts would look like drops in the rate. For a stage without whole
 * seconds, returns its mean rate in its most complete second.
 *
 * @param {readonly SecondCount[]} seconds
 * @param {readonly Time[]} times when the seconds were measured; must not overlap
 * @param {Rate | null} mean
 * @returns {Map<number, Rate>}
 */
function ratesBySecond(seconds, times, mean) {
  const parts = seconds.map((second) => ({ second, part: partOf(second, times) }));
  const whole = parts.filter(({ part }) => part >= MIN_WHOLE);
  if (whole.length > 0) {
    return new Map(whole.map(({ second }) => [second.secondStart, second]));
  }
  const largest = parts.reduce((most, { part }) => Math.max(most, part), 0);
  const main = largest === 0 ? undefined : parts.find(({ part }) => part === largest);
  return main === undefined || mean === null ? new Map() : new Map([[main.second.secondStart, mean]]);
}

/**
 * @param {SecondCount} second
 * @param {readonly Time[]} times
 * @returns {number} ms of the second that are within the times
 */
function partOf({ secondStart }, times) {
  const [start, end] = [secondStart * SECOND, (secondStart + 1) * SECOND];
  return times.reduce((sum, { from, until }) => sum + Math.max(Math.min(end, until) - Math.max(start, from), 0), 0);
}

/** The times at which any host was in the stage, without the final drain. @param {StageSum} stage */
function measuredTimes({ startedAt = null, endedAt = null, drain, merge }) {
  const measuredUntil = (endedAt ?? Infinity) - (drain ?? 0);
  const shares = (merge?.shares ?? [{ startedAt, endedAt }]).map((share) => ({
    from: share.startedAt ?? -Infinity,
    until: Math.min(share.endedAt ?? Infinity, measuredUntil),
  }));
  /** @type {Time[]} */
  const times = [];
  for (const { from, until } of shares.sort((one, other) => one.from - other.from)) {
    const last = times.at(-1);
    if (last !== undefined && from <= last.until) {
      last.until = Math.max(last.until, until);
    } else {
      times.push({ from, until });
    }
  }
  return times;
}

/** The lower seven bits of a byte are part of a number; the eighth means that another byte follows. */
const BITS = 0x80;

/**
 * Decodes the seconds of a host, as encoded by lib/model/host-series.js.
 *
 * @param {string} base64
 * @param {number} [divisor] of the encoded numbers
 * @returns {(number | null)[]} operations per second; null for a second that no log line covers
 */
export function decodeSeconds(base64, divisor = 10) {
  const values = [];
  let value = 0;
  let scale = 1;
  for (const character of atob(base64)) {
    const byte = character.charCodeAt(0);
    value += (byte % BITS) * scale;
    scale *= BITS;
    if (byte < BITS) {
      values.push(value === 0 ? null : (value - 1) / divisor);
      value = 0;
      scale = 1;
    }
  }
  return values;
}

/**
 * The seconds of all stages on one time axis. Each gap gets one second without values, so that no line crosses it.
 *
 * @typedef {object} TimeTable
 * @property {number[]} seconds epoch seconds, ascending
 * @property {(SecondResult | null)[][]} stages by stage, then by index in `seconds`
 * @property {(Rate | null)[][]} rates likewise; null for a second that is not drawn
 *
 * @param {readonly StageSum[]} stages
 * @returns {TimeTable}
 */
export function timeTable(stages) {
  const starts = stages.flatMap((stage) =>
    stage.seconds.flatMap(({ secondStart }, index) => {
      const next = stage.seconds[index + 1]?.secondStart ?? secondStart + 1;
      return next > secondStart + 1 ? [secondStart, secondStart + 1] : [secondStart];
    }),
  );
  const seconds = [...new Set(starts)].sort((one, other) => one - other);
  return {
    seconds,
    stages: stages.map((stage) => {
      const bySecond = new Map(stage.seconds.map((second) => [second.secondStart, second]));
      return seconds.map((second) => bySecond.get(second) ?? null);
    }),
    rates: stages.map((stage) => {
      const rates = ratesOfStage(stage);
      return seconds.map((second) => rates.get(second) ?? null);
    }),
  };
}

/**
 * The mean rates of hosts in ops/s, by host and column; a column covers one or more seconds.
 *
 * @typedef {{ from: number, columnSeconds: number, hosts: (number | null)[][] }} HostMap `from`: epoch s
 *
 * @param {readonly StageSum[]} stages
 * @param {readonly string[]} hosts
 * @param {number} maxColumns
 * @returns {HostMap | null} null if no seconds are known
 */
export function hostMap(stages, hosts, maxColumns) {
  const parts = stages.flatMap(({ merge, endedAt = null, drain }) =>
    (merge?.shares ?? []).flatMap((share) =>
      share.series && hosts.includes(share.host)
        ? [partOfHost(share, share.series, (endedAt ?? Infinity) - (drain ?? 0))]
        : [],
    ),
  );
  if (parts.length === 0) {
    return null;
  }
  const from = parts.reduce((least, part) => Math.min(least, part.from), Infinity);
  const until = parts.reduce((most, part) => Math.max(most, part.until), -Infinity);
  const columnSeconds = Math.max(Math.ceil((until - from) / maxColumns), 1);
  const columns = Math.ceil((until - from) / columnSeconds);
  const rows = hosts.map(() => Array.from({ length: columns }, () => /** @type {number[]} */ ([])));
  for (const { host, rates } of parts) {
    const row = rows[hosts.indexOf(host)];
    rates.forEach(({ operations }, second) => row[Math.floor((second - from) / columnSeconds)].push(operations));
  }
  const mean = (/** @type {readonly number[]} */ rates) =>
    rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return { from, columnSeconds, hosts: rows.map((row) => row.map(mean)) };
}

/**
 * @param {StageShare} share
 * @param {HostSeries} series
 * @param {number} measuredUntil epoch ms when the drain of the stage began
 * @returns {{ host: string, from: number, until: number, rates: Map<number, Rate> }}
 */
function partOfHost({ host, startedAt, endedAt, operations }, { secondStart: from, tenths }, measuredUntil) {
  const counts = decodeSeconds(tenths);
  const seconds = counts.flatMap((count, index) =>
    count === null ? [] : [{ secondStart: from + index, operations: count, bytes: 0 }],
  );
  const time = { from: startedAt ?? -Infinity, until: Math.min(endedAt ?? Infinity, measuredUntil) };
  const mean = { operations: (SECOND * operations) / Math.max(time.until - time.from, 1), bytes: 0 };
  return { host, from, until: from + counts.length, rates: ratesBySecond(seconds, [time], mean) };
}

/** The seconds of a result as CSV lines like those of `--csv`, per host if known. @param {Result} result */
export function csvLines({ host, stages, merge }) {
  const isDated = merge?.isDated ?? true;
  const lines = ['second_start,stage,host,ops,bytes\n'];
  for (const stage of stages) {
    for (const row of rowsOf(stage, host)) {
      const ops = Number(row.operations.toFixed(2));
      lines.push(
        `${moment(row.second, isDated)},${stage.stage},${csvField(row.host)},${ops},${Math.round(row.bytes)}\n`,
      );
    }
  }
  return lines;
}

/**
 * @typedef {{ second: number, host: string, operations: number, bytes: number }} Row
 *
 * @param {StageSum} stage
 * @param {string | null} host
 * @returns {Row[]} in order of time
 */
function rowsOf({ seconds, merge }, host) {
  const series = (merge?.shares ?? []).flatMap((share) =>
    share.series ? [{ name: share.host, ...share.series }] : [],
  );
  if (series.length === 0) {
    return seconds.map(({ secondStart, operations, bytes }) => ({
      second: secondStart,
      host: host ?? '',
      operations,
      bytes,
    }));
  }
  return series.flatMap(rowsOfHost).sort((one, other) => one.second - other.second);
}

/** @param {HostSeries & { name: string }} series */
function rowsOfHost({ name, secondStart, tenths, operationBytes, bytes }) {
  const bytesOfSeconds = bytes === undefined ? [] : decodeSeconds(bytes, 1);
  return decodeSeconds(tenths).flatMap((operations, index) =>
    operations === null
      ? []
      : [
          {
            second: secondStart + index,
            host: name,
            operations,
            bytes: bytesOfSeconds[index] ?? operations * operationBytes,
          },
        ],
  );
}

/**
 * @param {number} second
 * @param {boolean} isDated
 */
function moment(second, isDated) {
  const iso = new Date(second * 1000).toISOString();
  return isDated ? iso.replace('.000Z', 'Z') : iso.slice('1970-01-01T'.length, -'.000Z'.length);
}

/** CSV fields with one of these need quotes (RFC 4180). */
const SPECIAL = /[",\r\n]/;

/** Spreadsheets read such a field as a formula, even in quotes, unless an apostrophe precedes it. */
const FORMULA = /^[=+\-@\t\r]/;

/** @param {string} text */
export function csvField(text) {
  const shown = FORMULA.test(text) ? `'${text}` : text;
  return SPECIAL.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
