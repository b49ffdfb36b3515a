import { decimal, listOf } from '../text/figures.js';
import { plainText } from '../text/plain-text.js';
import { isAtBinding } from '../model/ways.js';

/**
 * @import { LatencySummary, Way, WayFigures, WayResult, WayStage } from '../model/result.js'
 *
 * @typedef {object} WayRow
 * @property {WayResult} way
 * @property {string} heading the stage, or an operation of its mix
 * @property {WayFigures & Partial<Pick<WayStage, 'connections'>>} figures
 */

/** The stage whose latencies the summary quotes, unless more access paths ran another stage. */
const TYPICAL_STAGE = 'Read';

const UNKNOWN_TIME = 'an unknown time';

/** @type {readonly { title: string, of: (latency: LatencySummary) => number, isMean?: true }[]} in ms */
export const WAY_LATENCIES = [
  { title: 'Fastest', of: ({ minimum }) => minimum },
  { title: 'Average', of: ({ mean }) => mean, isMean: true },
  { title: 'p50', of: ({ p50 }) => p50 },
  { title: 'p90', of: ({ p90 }) => p90 },
  { title: 'p95', of: ({ p95 }) => p95 },
  { title: 'p99', of: ({ p99 }) => p99 },
  { title: 'p99.9', of: ({ p999 }) => p999 },
  { title: 'Slowest', of: ({ maximum }) => maximum },
];

/**
 * @param {readonly WayResult[]} ways
 * @returns {WayRow[]} grouped by stage, in the order of the access paths; the operations of a mix follow their stage
 */
export function wayRows(ways) {
  const names = new Set(ways.flatMap(({ stages }) => stages.map(({ stage }) => stage)));
  return [...names].flatMap((name) => {
    const stageRows = ways.flatMap((way) =>
      way.stages.flatMap((stage) => (stage.stage === name ? [{ way, heading: name, figures: stage }] : [])),
    );
    const kindRows = stageRows.flatMap(({ way, figures: { kinds = [] } }) =>
      kinds.map((kind) => ({ way, heading: `${name}: ${kind.operation}`, figures: kind })),
    );
    const headings = [...new Set(kindRows.map(({ heading }) => heading))];
    return [...stageRows, ...headings.flatMap((each) => kindRows.filter(({ heading }) => heading === each))];
  });
}

/** One line; untrusted text in it is not escaped for any format. @param {Way} way */
export function wayName(way) {
  return wordsOf(way).name;
}

/** `phrase` follows a duration in a sentence. @param {Way} way */
function wordsOf({ client, through }) {
  if (client === 'edge') {
    return through
      ? { name: 'Through the Worker', phrase: 'through the Worker' }
      : { name: 'Binding at the edge', phrase: 'through the binding at the edge' };
  }
  if (client === 'public') {
    return { name: 'Public URL', phrase: 'through the public URL' };
  }
  if (client === null) {
    return { name: 'Unknown access path', phrase: 'over an unknown access path' };
  }
  const shown = plainText(client);
  const phrase = 'over the S3 API from here';
  return { name: `S3 API from here (${shown})`, phrase: client === 'direct' ? phrase : `${phrase} (${shown})` };
}

/** How an access path uses connections, and the resolution of its latencies. @param {Way} way */
export function wayRemark(way) {
  const { keepAlive, clockResolution } = way;
  const connections = isAtBinding(way) ? [] : [`connections ${connectionsText(keepAlive)}`];
  const steps = clockResolution === null ? [] : [`latencies in steps of ${clockResolution} ms`];
  return [...connections, ...steps].join(', ');
}

/** @param {boolean | null} keepAlive */
function connectionsText(keepAlive) {
  if (keepAlive === null) {
    return 'unknown';
  }
  return keepAlive ? 'reused' : 'new for each request';
}

/**
 * @param {number} ms
 * @param {Way} way
 * @param {boolean} [isMean] whether `ms` is a mean, which can be finer than the clock
 * @returns {string} formatted no more precisely than the clock of the access path, unless it is a mean
 */
export function wayLatency(ms, { clockResolution }, isMean = false) {
  if (clockResolution === null || clockResolution < 1 || isMean) {
    return decimal(ms, ms < 10 ? 2 : 1);
  }
  return ms < clockResolution ? `<${clockResolution}` : decimal(ms, 0);
}

/**
 * The median latency of each access path in a typical stage, in one sentence. Untrusted text in it is not escaped.
 *
 * @param {readonly WayResult[]} ways
 */
export function wayAnswer(ways) {
  const rows = wayRows(ways);
  const counts = new Map([[TYPICAL_STAGE, 0]]);
  rows.forEach(({ heading }) => counts.set(heading, (counts.get(heading) ?? 0) + 1));
  const [[typical]] = [...counts].toSorted(([, one], [, other]) => other - one);
  const times = rows
    .filter(({ heading }) => heading === typical)
    .map(({ way, figures: { latency } }) => {
      const time = latency === null ? UNKNOWN_TIME : `${wayLatency(latency.p50, way)} ms`;
      return `${time} ${phraseOf(way)}`;
    });
  return `The median ${typical} operation took ${listOf(times)}.`;
}

/** @param {Way} way */
function phraseOf(way) {
  return `${wordsOf(way).phrase}${way.keepAlive === false ? ' with new connections' : ''}`;
}

/** Sentences that explain the table. @param {readonly WayResult[]} ways */
export function wayNotes(ways) {
  const extents = ways.flatMap(({ stages }) => extentOf(stages));
  const pairs = extents.flatMap((one, index) => extents.slice(index + 1).map((other) => overlaps(one, other)));
  return [
    'Each row counts only the operations of its access path.',
    ...(pairs.includes(false)
      ? ['The access paths were measured at different times, so the totals in the other tables mean little.']
      : []),
    ...(pairs.includes(true) ? ['Access paths measured at the same time may have slowed each other down.'] : []),
    ...(ways.some(isAtBinding)
      ? ["At the binding, bytes do not travel to this host, and latencies come from the Worker's clock."]
      : []),
  ];
}

/**
 * @typedef {{ from: number, to: number }} Extent epoch ms
 *
 * @param {readonly WayStage[]} stages
 * @returns {Extent[]} one extent, or none if the times are unknown
 */
function extentOf(stages) {
  const times = stages.flatMap(({ startedAt, endedAt }) =>
    startedAt === null || endedAt === null ? [] : [startedAt, endedAt],
  );
  return times.length === 0 ? [] : [{ from: Math.min(...times), to: Math.max(...times) }];
}

/**
 * @param {Extent} one
 * @param {Extent} other
 */
function overlaps(one, other) {
  return one.from < other.to && other.from < one.to;
}
