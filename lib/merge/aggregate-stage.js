import { overlapOf } from './overlap.js';
import { PeakFinder } from './peak-finder.js';
import { addCounts } from './stage-counts.js';
import { secondsOf } from './sum-seconds.js';

/**
 * @import { Overlap } from './overlap.js'
 * @import { MeanTogether, Stretch } from './peak-finder.js'
 * @import { StageCounts } from './stage-counts.js'
 * @import { StageLog } from './stage-log.js'
 * @import { StageView } from './stage-views.js'
 * @import { Histogram } from 'hdr-histogram-js'
 */

/**
 * @typedef {object} StageAggregateFields rates are ops/s and bytes/s, moments epoch seconds or, with `Ms` behind, epoch ms;
 *   where no log says a date, they count from midnight before the first line
 * @property {string} stage
 * @property {number} hosts that have the stage
 * @property {Peak} peak
 * @property {Stretch | null} sustained null where no ten seconds follow each other
 * @property {MeanTogether | null} together mean while all hosts were in the stage
 * @property {number} sumOfPeaks sum of the hosts' own best seconds, an upper bound: they may be different seconds
 * @property {Overlap | null} overlap null where a log does not say when the stage was
 * @property {MergedLatency | null} latency of operations; null where there is none, or something is missing
 * @property {MissingLatency[]} missingLatency
 * @property {HostShare[]} shares one for each run of each host
 *
 * @typedef {StageAggregateFields & StageCounts} StageAggregate
 *
 * @typedef {object} Peak the largest sum of one second
 * @property {number} operationsPerSecond
 * @property {number | null} bytesPerSecond
 * @property {number | null} second null where the peak is that of a summary: the mean of a stage that has no full second
 * @property {number} hosts that contributed
 *
 * @typedef {object} MergedLatency ms, but for the count
 * @property {number} count
 * @property {number} p50
 * @property {number} p90
 * @property {number} p99
 * @property {number} p999
 *
 * @typedef {{ host: string, file: string, line: number, reason: string }} MissingLatency
 *
 * @typedef {object} HostShare
 * @property {string} host
 * @property {string} file
 * @property {number | null} startMs
 * @property {number | null} stopMs
 * @property {number} operations
 * @property {number} peak the host's own, in ops/s
 * @property {string | null} limitedBy what the host's log says it was limited by; null where it does not
 */

const MICROSECONDS = 1000;

/**
 * @param {string} stage
 * @param {readonly StageView[]} views at least one
 * @param {Histogram | undefined} latencies of all of them, in µs
 * @returns {StageAggregate}
 */
export function aggregateStage(stage, views, latencies) {
  const hosts = new Set(views.map(({ host }) => host)).size;
  const finder = new PeakFinder(hosts);
  /** Tenths of ops/s in the best second of each. @type {Map<StageView, number>} */
  const best = new Map();
  for (const { second, hosts: inSecond } of secondsOf(views)) {
    const measured = inSecond.filter(({ view }) => second >= view.measuredFrom && second < view.measuredUntil);
    if (measured.length > 0) {
      finder.add({ second, hosts: measured });
    }
    for (const { view, tenths } of measured) {
      best.set(view, Math.max(best.get(view) ?? 0, tenths));
    }
  }
  const ownPeaks = new Map(views.map((view) => [view, ownPeak(view, best.get(view) ?? 0)]));
  // A second at the edge of a host's stage is not its own peak, and can still hold more than that.
  const bounds = new Map([...ownPeaks].map(([view, peak]) => [view, Math.max(peak, (best.get(view) ?? 0) / 10)]));
  const missingLatency = missingLatencies(views);
  return {
    stage,
    hosts,
    peak: peakOf(finder, views, hosts),
    sustained: finder.sustained,
    together: finder.together(),
    sumOfPeaks: sumOfPeaks(bounds),
    overlap: overlapOfViews(views),
    ...addCounts(views),
    latency: missingLatency.length > 0 ? null : latencyOf(latencies),
    missingLatency,
    shares: views.map(({ host, log, interval, operations }, place) => ({
      host: host.name,
      file: host.file,
      startMs: interval?.start ?? null,
      stopMs: interval?.stop ?? null,
      operations,
      peak: ownPeaks.get(views[place]) ?? 0,
      limitedBy: log.limitedBy ?? log.facts?.limitedBy ?? null,
    })),
  };
}

/**
 * Where one host alone has the stage, its summary counts as well: a stage that is shorter than a second has its rate only
 * there, or in its totals. The summaries of several hosts are not added up, because nothing says that their peaks fell
 * into one second.
 *
 * @param {PeakFinder} finder
 * @param {readonly StageView[]} views
 * @param {number} hosts
 * @returns {Peak}
 */
function peakOf({ peak }, views, hosts) {
  if (peak !== null && hosts > 1) {
    return peak;
  }
  const told = views.map(({ log }) => toldPeak(log));
  const operationsPerSecond = told.reduce((one, other) => Math.max(one, other), 0);
  if (peak !== null && peak.operationsPerSecond >= operationsPerSecond) {
    return peak;
  }
  const { operations, bytes } = views[told.indexOf(operationsPerSecond)] ?? views[0];
  const bytesPerSecond = operations === 0 ? null : (operationsPerSecond * bytes) / operations;
  return { operationsPerSecond, bytesPerSecond, second: null, hosts: 1 };
}

/**
 * @param {StageView} view
 * @param {number} bestTenths
 */
function ownPeak({ log }, bestTenths) {
  return log.summary === null ? Math.max(bestTenths / 10, toldPeak(log)) : toldPeak(log);
}

/**
 * @param {StageLog} log
 * @returns {number} ops/s of the summary; where that is lost the mean, below which it cannot have been; 0 where the totals
 *   are lost as well
 */
function toldPeak({ summary, facts }) {
  if (summary !== null) {
    return summary.peakOperationsPerSecond;
  }
  if (facts === null) {
    return 0;
  }
  const { measured, drained, measuredFrom, measuredUntil } = facts;
  return (1000 * Math.max(measured - drained, 0)) / Math.max(measuredUntil - measuredFrom, 1);
}

/**
 * The runs of one host come one after the other: the best of them is its peak.
 *
 * @param {ReadonlyMap<StageView, number>} peaks
 */
function sumOfPeaks(peaks) {
  const byHost = new Map();
  for (const [{ host }, peak] of peaks) {
    byHost.set(host, Math.max(byHost.get(host) ?? 0, peak));
  }
  // In tenths, which the peaks are told in: a sum of fractions would depend on the order of the hosts.
  return [...byHost.values()].reduce((sum, peak) => sum + Math.round(peak * 10), 0) / 10;
}

/** @param {readonly StageView[]} views */
function overlapOfViews(views) {
  const intervals = views.flatMap(({ host, interval }) => (interval === null ? [] : [{ host, ...interval }]));
  return intervals.length < views.length ? null : overlapOf(intervals);
}

/** @param {readonly StageView[]} views */
function missingLatencies(views) {
  return views.flatMap(({ host, log }) => {
    const reason = log.missingHistogram();
    return reason === null ? [] : [{ host: host.name, file: host.file, line: log.factsLine ?? log.line, reason }];
  });
}

/**
 * @param {Histogram | undefined} latencies
 * @returns {MergedLatency | null}
 */
function latencyOf(latencies) {
  if (latencies === undefined || latencies.totalCount === 0) {
    return null;
  }
  const at = (/** @type {number} */ percentile) => latencies.getValueAtPercentile(percentile) / MICROSECONDS;
  return { count: latencies.totalCount, p50: at(50), p90: at(90), p99: at(99), p999: at(99.9) };
}
