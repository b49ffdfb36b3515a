/**
 * @import { HostSeries, Result, SecondResult, StageSum } from '../../../model/result.js'
 */

/** The bits of a byte that hold a part of a number. The eighth says whether another byte follows. */
const BITS = 0x80;

/**
 * Unpacks what a host did second by second; lib/model/host-series.js packs it.
 *
 * @param {string} base64
 * @param {number} [divisor] of the numbers that were packed
 * @returns {(number | null)[]} operations of each second; null where no line tells of it
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
 * The seconds of all stages on one axis, as a chart takes them. Where seconds are missing there is one without values, so that
 * no line goes over the gap.
 *
 * @typedef {object} TimeTable
 * @property {number[]} seconds epoch seconds, ascending
 * @property {(SecondResult | null)[][]} stages of each stage, by the place of the second
 *
 * @param {readonly StageSum[]} stages
 * @returns {TimeTable}
 */
export function timeTable(stages) {
  const starts = stages.flatMap((stage) =>
    stage.seconds.flatMap(({ secondStart }, place) => {
      const next = stage.seconds[place + 1]?.secondStart ?? secondStart + 1;
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
  };
}

/**
 * What hosts did, in as many columns as there is room for.
 *
 * @typedef {object} HostMap
 * @property {number} from epoch s
 * @property {number} columnSeconds
 * @property {(number | null)[][]} hosts ops/s of each host in each column
 *
 * @param {readonly StageSum[]} stages
 * @param {readonly string[]} hosts
 * @param {number} maxColumns
 * @returns {HostMap | null} null where no second is known
 */
export function hostMap(stages, hosts, maxColumns) {
  const parts = stages.flatMap(({ merge }) =>
    (merge?.shares ?? []).flatMap(({ host, series }) =>
      series && hosts.includes(host) ? [{ host, from: series.secondStart, counts: decodeSeconds(series.tenths) }] : [],
    ),
  );
  if (parts.length === 0) {
    return null;
  }
  const from = parts.reduce((least, part) => Math.min(least, part.from), Infinity);
  const until = parts.reduce((most, part) => Math.max(most, part.from + part.counts.length), -Infinity);
  const columnSeconds = Math.max(Math.ceil((until - from) / maxColumns), 1);
  const columns = Math.ceil((until - from) / columnSeconds);
  /** @type {(number | null)[][]} */
  const rows = hosts.map(() => Array.from({ length: columns }, () => null));
  for (const part of parts) {
    const row = rows[hosts.indexOf(part.host)];
    part.counts.forEach((count, place) => {
      const column = Math.floor((part.from + place - from) / columnSeconds);
      row[column] = count === null ? row[column] : (row[column] ?? 0) + count / columnSeconds;
    });
  }
  return { from, columnSeconds, hosts: rows };
}

/** What makes a field of CSV need quotes (RFC 4180). */
const SPECIAL = /[",\r\n]/;

/**
 * The seconds of a result in the columns of `--csv`: of each host where they are known, else of the one host.
 *
 * @param {Result} result
 * @returns {string[]} lines
 */
export function csvLines({ host, stages, merge }) {
  const isDated = merge?.isDated ?? true;
  const lines = ['second_start,stage,host,ops,bytes\n'];
  for (const stage of stages) {
    for (const row of rowsOf(stage, host)) {
      const ops = Number(row.operations.toFixed(2));
      lines.push(`${moment(row.second, isDated)},${stage.stage},${field(row.host)},${ops},${Math.round(row.bytes)}\n`);
    }
  }
  return lines;
}

/**
 * @typedef {{ second: number, host: string, operations: number, bytes: number }} Row
 *
 * @param {StageSum} stage
 * @param {string | null} host
 * @returns {Row[]} in the order of the seconds
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

/**
 * @param {HostSeries & { name: string }} series
 * @returns {Row[]}
 */
function rowsOfHost({ name, secondStart, tenths, operationBytes, bytes }) {
  const bytesOfSeconds = bytes === undefined ? [] : decodeSeconds(bytes, 1);
  return decodeSeconds(tenths).flatMap((operations, place) =>
    operations === null
      ? []
      : [
          {
            second: secondStart + place,
            host: name,
            operations,
            bytes: bytesOfSeconds[place] ?? operations * operationBytes,
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

/** @param {string} text */
function field(text) {
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
