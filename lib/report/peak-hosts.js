import { counted } from '../log/figures.js';
import { listed, shorten } from './names.js';
import { formatMoment } from './peak-times.js';

/**
 * @import { HostShare, StageAggregate } from '../merge/aggregate-stage.js'
 */

/** Hosts that are shown one by one; the JSON report has all. */
const MOST_HOSTS = 20;

const LONGEST_NAME = 32;
const BAR_WIDTH = 24;
const MOMENT_WIDTH = '12:00:06.123'.length;

/**
 * A table of the hosts of a stage, with a bar that shows when each was in it.
 *
 * @param {StageAggregate} stage
 * @returns {string[]} lines
 */
export function formatHostRows({ shares }) {
  const shown = shares.slice(0, MOST_HOSTS);
  const nameWidth = Math.max('Host'.length, ...shown.map(({ host }) => shortName(host).length));
  const head = [
    'Host'.padEnd(nameWidth),
    'from'.padEnd(MOMENT_WIDTH),
    'to'.padEnd(MOMENT_WIDTH),
    'operations'.padStart(11),
    'own peak'.padStart(10),
  ];
  const bar = barOver(shares);
  const rows = shown.map((share) => [
    shortName(share.host).padEnd(nameWidth),
    momentOf(share.startMs),
    momentOf(share.stopMs),
    String(share.operations).padStart(11),
    share.peak.toFixed(1).padStart(10),
    bar(share),
  ]);
  const more = shares.length - shown.length;
  const lines = [head, ...rows].map((columns) => columns.join('  ').trimEnd());
  return more === 0 ? lines : [...lines, `and ${more} more, which --json shows`];
}

/**
 * @param {readonly HostShare[]} shares
 * @returns {(share: HostShare) => string}
 */
function barOver(shares) {
  const times = shares.flatMap(({ startMs, stopMs }) => (startMs === null || stopMs === null ? [] : [startMs, stopMs]));
  const [first, last] = times.reduce(
    ([least, most], time) => [Math.min(least, time), Math.max(most, time)],
    [Infinity, -Infinity],
  );
  const columnOf = (/** @type {number} */ time) => ((time - first) / (last - first)) * BAR_WIDTH;
  return ({ startMs, stopMs }) => {
    if (startMs === null || stopMs === null || last <= first) {
      return '';
    }
    const from = Math.min(Math.floor(columnOf(startMs)), BAR_WIDTH - 1);
    const to = Math.max(Math.round(columnOf(stopMs)), from + 1);
    return `|${' '.repeat(from)}${'='.repeat(to - from)}${' '.repeat(BAR_WIDTH - to)}|`;
  };
}

/**
 * What limited each host, said once where it is the same for all.
 *
 * @param {StageAggregate} stage
 * @returns {string | null} null where no log tells it
 */
export function limitsText({ shares, hosts }) {
  const causes = new Set(shares.map(({ limitedBy }) => limitedBy));
  const [cause] = causes;
  if (causes.size === 1) {
    return hosts === 1 || cause === null ? cause : `${cause}, on all ${counted(hosts, 'host')}`;
  }
  return listed(
    shares.map(({ host, limitedBy }) => `${shortName(host)}: ${limitedBy ?? 'unknown'}`),
    '; ',
  );
}

/** @param {string} name */
function shortName(name) {
  return shorten(name, LONGEST_NAME);
}

/** @param {number | null} ms */
function momentOf(ms) {
  return ms === null ? '?'.padEnd(MOMENT_WIDTH) : formatMoment(ms);
}
