import { addResults, addStages, averagesOf } from '../model/add-results.js';
import { isUnknownClock } from '../model/clock-facts.js';
import { isCut, missingPercentiles } from '../model/completeness.js';
import { COUNT_NAMES } from '../model/counters.js';
import { UNKNOWN_LATENCY } from '../model/histogram.js';
import { addSecond } from '../model/seconds.js';
import { stageOfWay, wayOf } from '../model/ways.js';
import { OPERATIONS, STAGE_NAMES } from '../operations/registry.js';
import { placeOf } from '../text/plain-text.js';
import { hostSeries } from './host-series.js';
import { hostRunOf, hostsOf, originOf, rampsOf, viewsOf } from './hosts.js';
import { overlapOf } from './overlap.js';
import { PeakFinder } from './peak-finder.js';
import { mergeRamps, rampWarnings } from './ramp.js';
import { secondsOf, timeSeriesOf } from './seconds.js';
import { hostsOfOneRunApart, missingShards, mixedRuns, runsOfOneHostApart, runsOfOneWayApart } from './warnings.js';

/**
 * @import { ReadRun, ReadStage } from '../log/read-log.js'
 * @import { ClockTrust, CountName, MergeWarning, PeakSecond, Result, SecondResult } from '../model/result.js'
 * @import { StageMerge, StageShare, StageSum, WayResult } from '../model/result.js'
 * @import { Host, HostRun, StageView } from './hosts.js'
 * @import { TimeSeriesRow } from './seconds.js'
 */

/**
 * @typedef {object} Merged what all runs did together
 * @property {MergedResult} result the seconds of its stages are worked out anew each time somebody goes through them
 * @property {() => Iterable<TimeSeriesRow>} timeSeries what each host did in each second, likewise
 * @property {MergeWarning[]} runsApart what does not belong into one sum, unless the user says so
 * @property {MergeWarning[]} runsOfWayApart likewise, if ways to the objects are looked at one by one
 *
 * @typedef {Omit<StageSum, 'seconds'> & { seconds: Iterable<SecondResult>, merge: StageMerge }} MergedStage
 * @typedef {Required<Omit<Result, 'stages'>> & { stages: MergedStage[] }} MergedResult
 */

/** Stages whose objects come in the order of --access. */
const FOLLOWING_ACCESS = new Set(OPERATIONS.flatMap(({ followsAccess, logName }) => (followsAccess ? [logName] : [])));

/** What a host does not count adds nothing to the counts of the others. */
const MISSING_COUNTS = Object.freeze(Object.fromEntries(COUNT_NAMES.map((name) => [name, 0])));

/**
 * Adds up what hosts did together: `Result[]` becomes one `Result`.
 *
 * @param {readonly ReadRun[]} reads runs of one host each, in the order of their files
 * @param {object} [options]
 * @param {readonly MergeWarning[]} [options.warnings] about the files
 * @param {boolean} [options.keepsSeries] whether the seconds of each host are asked for
 * @returns {Merged}
 */
export function mergeRuns(reads, { warnings = [], keepsSeries = false } = {}) {
  const { counted, refused } = countedRuns(reads);
  const runs = counted.map(hostRunOf);
  const hosts = hostsOf(runs);
  const origin = originOf(hosts);
  /** @type {Map<string, StageView[]>} */
  const views = new Map();
  for (const stage of stagesOf(hosts)) {
    const ofStage = viewsOf(stage, hosts, origin.second);
    if (ofStage.length > 0) {
      views.set(stage, ofStage);
    }
  }
  const lost = missingShards(runs);
  const stages = [...views].map(([stage, ofStage]) => {
    const ramps = mergeRamps(rampsOf(stage, hosts), lost.length > 0);
    const stageSum = mergeStage(ofStage, ramps);
    return keepsSeries ? withSeries(stageSum, ofStage) : stageSum;
  });
  const ways = mergeWays(hosts, views);
  const merge = {
    peaks: Object.fromEntries(stages.map((stage) => [stage.stage, stage.merge.peak.operationsPerSecond])),
    isDated: origin.isDated,
    clocks: clockTrust(hosts),
    warnings: [
      ...warnings,
      ...refused,
      ...counted.flatMap((read) => read.warnings),
      ...mixedRuns(runs),
      ...hostsOfOneRunApart(views),
      ...lost,
      ...rampWarnings(stages, new Map(hosts.map(({ name, file }) => [name, file]))),
    ],
    ...(ways.length > 1 ? { ways } : {}),
  };
  const together = addResults(hosts.flatMap((host) => host.runs.map((run) => withOrigin(run, host))));
  return {
    // What was asserted of one host is not asserted of all.
    result: { ...together, thresholds: [], stages, merge },
    timeSeries: () => timeSeriesOf(views),
    runsApart: runsOfOneHostApart(views),
    runsOfWayApart: runsOfOneWayApart(views),
  };
}

/**
 * @param {readonly ReadRun[]} reads
 * @returns {{ counted: ReadRun[], refused: MergeWarning[] }} those that can be added up, each once
 */
function countedRuns(reads) {
  /** By run and shard: the first run that bore them. @type {Map<string, ReadRun>} */
  const known = new Map();
  /** @type {MergeWarning[]} */
  const refused = [];
  const counted = reads.filter((read) => {
    const { result, file, line } = read;
    const reason = whyNotCounted(read);
    if (reason !== null) {
      refused.push({ file, line, message: reason, incomplete: true });
      return false;
    }
    const name = `${result.run} ${result.shard}`;
    const earlier = result.run === null ? undefined : known.get(name);
    if (earlier === undefined) {
      known.set(name, read);
      return true;
    }
    const isCopy = result.start === earlier.result.start && result.host === earlier.result.host;
    const shard = result.shard === null ? '' : `, shard ${result.shard},`;
    const what = `run ${result.run}${shard} stands in ${placeOf(earlier)}, too`;
    const message = `${what}: ${isCopy ? 'counted once' : 'by another host or at another time, both are counted'}`;
    refused.push({ file, line, message, incomplete: false });
    return !isCopy;
  });
  return { counted, refused };
}

/**
 * The steps of a search are loads of all sizes, and what hosts did together cannot be taken apart.
 *
 * @param {ReadRun} read
 * @returns {string | null} null if it can be added up
 */
function whyNotCounted({ result: { hosts, merge, options }, line }) {
  if (merge !== undefined || hosts.length !== 1) {
    return `what ${hosts.length} hosts did together, which cannot be taken apart: it is not counted; give their logs or results`;
  }
  const begins = line === null ? '' : ' begins here';
  return options?.findPeak ? `a search with --find-peak${begins}, which cannot be added up: it is not counted` : null;
}

/**
 * @param {HostRun} run
 * @param {Host} host
 * @returns {Result} of the run alone, without its stages
 */
function withOrigin({ result, line }, { name, file }) {
  const hosts = result.hosts.map((each) => ({ ...each, merge: { name, file, line } }));
  return { ...result, hosts, stages: [] };
}

/**
 * @param {readonly Host[]} hosts
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @returns {WayResult[]} what the hosts of each way did, in the order of the hosts
 */
function mergeWays(hosts, views) {
  const ways = new Set([...views.values()].flatMap((ofStage) => ofStage.map(({ run }) => run.way)));
  if (ways.size < 2) {
    return [];
  }
  const runs = hosts.flatMap((host) => host.runs.map((run) => ({ name: host.name, run })));
  return [...new Set(runs.map(({ run }) => run.way))]
    .filter((way) => ways.has(way))
    .map((way) => {
      const ofWay = runs.filter(({ run }) => run.way === way);
      const stages = [...views.values()].flatMap((ofStage) => {
        const shares = ofStage.filter(({ run }) => run.way === way);
        return shares.length === 0 ? [] : [stageOfWay(mergeStage(shares, null))];
      });
      const [{ run }] = ofWay;
      return { ...wayOf(run.result.options), hosts: [...new Set(ofWay.map(({ name }) => name))], stages };
    });
}

/**
 * @param {readonly StageView[]} views of one stage
 * @returns {Generator<SecondResult, void, undefined>}
 */
function* secondResults(views) {
  for (const { second, hosts } of secondsOf(views)) {
    yield addSecond(hosts.map(({ view }) => ({ ...view.series.resultOf(second - view.shift), secondStart: second })));
  }
}

/** @param {readonly Host[]} hosts */
function stagesOf(hosts) {
  return new Set([
    ...STAGE_NAMES,
    ...hosts.flatMap(({ runs }) => runs.flatMap(({ result }) => result.stages.map(({ stage }) => stage))),
  ]);
}

/**
 * @param {readonly Host[]} hosts
 * @returns {ClockTrust}
 */
function clockTrust(hosts) {
  /** @type {ClockTrust & { trusted: string[], withoutMachineLines: string[] }} */
  const trust = { worst: null, trusted: [], withoutMachineLines: [] };
  for (const { name, runs } of hosts) {
    const uncertainties = runs.flatMap(uncertaintiesOf);
    const uncertainty = uncertainties.reduce((one, other) => Math.max(one, other), 0);
    if (uncertainties.length > 0 && uncertainty > (trust.worst?.uncertainty ?? -1)) {
      trust.worst = { uncertainty, host: name };
    }
    if (runs.some(({ hasMachineLines }) => !hasMachineLines)) {
      trust.withoutMachineLines.push(name);
    } else if (runs.some((run) => uncertaintiesOf(run).length === 0 || clocksOf(run).some(isUnknownClock))) {
      trust.trusted.push(name);
    }
  }
  return trust;
}

/**
 * What is seen of the clock after the start may only widen the uncertainty.
 *
 * @param {HostRun} run
 */
function uncertaintiesOf(run) {
  return clocksOf(run).flatMap((clock) => (clock && !isUnknownClock(clock) ? [clock.uncertainty] : []));
}

/** @param {HostRun} run */
function clocksOf({ result: { clock, stages } }) {
  return [clock, ...stages.map(({ storeClock }) => storeClock)];
}

/**
 * @param {readonly StageView[]} views at least one
 * @param {ReturnType<typeof mergeRamps>} ramps
 * @returns {MergedStage}
 */
function mergeStage(views, ramps) {
  const hosts = new Set(views.map(({ host }) => host)).size;
  const finder = new PeakFinder(hosts);
  /** Tenths of ops/s in the best second of each. @type {Map<StageView, number>} */
  const best = new Map();
  for (const { second, hosts: inSecond } of secondsOf(views)) {
    const measured = inSecond.filter(({ view }) => isInRates(view, second));
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
  const sum = addStages(views.map(stageOf));
  const peak = peakOf(finder, views, hosts);
  const missingLatency = missingLatencies(views);
  const untold = countersMissingIn(views);
  return {
    ...sum,
    seconds: { [Symbol.iterator]: () => secondResults(views) },
    ...(ramps === null ? {} : { ramp: ramps.ramp }),
    peak: peak.operationsPerSecond,
    latency: missingLatency.length > 0 ? UNKNOWN_LATENCY : sum.latency,
    merge: {
      hosts,
      isAtLeast: views.some(({ stage }) => isCut(stage)),
      peak,
      sustained: finder.sustained,
      together: finder.together(),
      sumOfPeaks: sumOfPeaks(bounds),
      overlap: overlapOfViews(views),
      shares: views.map((view) => shareOf(view, ownPeaks.get(view) ?? 0)),
      missingLatency,
      ...(untold.length > 0 ? { untold } : {}),
      ...(ramps === null ? {} : { ramp: ramps.merged }),
    },
  };
}

/**
 * @param {StageView} view
 * @param {number} second of which it has a line
 */
function isInRates({ stage, series, shift, measuredFrom, measuredUntil }, second) {
  const wasSuspended = Boolean(stage.paused) && series.isNextToGap(second - shift);
  return second >= measuredFrom && second < measuredUntil && !wasSuspended;
}

/**
 * @param {StageView} view
 * @param {number} peak ops/s
 * @returns {StageShare}
 */
function shareOf({ host, interval, operations, stage: { bottleneck } }, peak) {
  const { cause = null, certainty, evidence = null, advice = null } = bottleneck ?? {};
  return {
    ...{ host: host.name, file: host.file },
    startedAt: interval?.start ?? null,
    endedAt: interval?.stop ?? null,
    ...{ operations, peak, limitedBy: cause, ...(certainty === undefined ? {} : { certainty }) },
    ...(evidence === null ? {} : { evidence, advice }),
  };
}

/**
 * @param {MergedStage} stage
 * @param {readonly StageView[]} views of its shares, in their order
 * @returns {MergedStage} with the seconds of each host
 */
function withSeries(stage, views) {
  const shares = stage.merge.shares.map((share, place) => ({ ...share, series: hostSeries(views[place]) }));
  return { ...stage, merge: { ...stage.merge, shares } };
}

/**
 * @param {StageView} view
 * @returns {StageSum} what the host says of the stage, without its seconds; counters that it does not say add nothing
 */
function stageOf({ run: { result }, stage, interval }) {
  const { options } = result;
  const times = { startedAt: interval?.start ?? null, endedAt: interval?.stop ?? null };
  const access = FOLLOWING_ACCESS.has(stage.stage) ? options?.access : undefined;
  return {
    objectSize: options?.size ?? null,
    ...(options?.sizes ? { sizes: options.sizes } : {}),
    ...(access ? { access } : {}),
    ...MISSING_COUNTS,
    ...stage,
    ...times,
    ...(typeof stage.startedAt === 'number' ? {} : ratesBetween(stage, times)),
    seconds: [],
  };
}

/**
 * @param {ReadStage} stage whose lines do not say exactly when it was
 * @param {{ startedAt: number | null, endedAt: number | null }} times of its seconds
 */
function ratesBetween(stage, { startedAt, endedAt }) {
  const duration = startedAt === null || endedAt === null ? null : endedAt - startedAt;
  const times = { startedAt, endedAt, duration, warmup: null, drain: null };
  return { ...times, ...averagesOf({ ...MISSING_COUNTS, ...stage }, times) };
}

/**
 * @param {readonly StageView[]} views
 * @returns {CountName[]} counters that a host does not say
 */
function countersMissingIn(views) {
  return COUNT_NAMES.filter((name) => views.some(({ stage }) => stage[name] === undefined));
}

/**
 * Where one host alone has the stage, its summary counts as well: a stage that is shorter than a second has its rate only
 * there, or in its totals. The summaries of several hosts are not added up, because nothing says that their peaks fell
 * into one second.
 *
 * @param {PeakFinder} finder
 * @param {readonly StageView[]} views
 * @param {number} hosts
 * @returns {PeakSecond}
 */
function peakOf({ peak }, views, hosts) {
  if (peak !== null && hosts > 1) {
    return peak;
  }
  const peaks = views.map(({ stage }) => stage.peak ?? meanOf(stage));
  const operationsPerSecond = peaks.reduce((one, other) => Math.max(one, other), 0);
  if (peak !== null && peak.operationsPerSecond >= operationsPerSecond) {
    return peak;
  }
  const { operations, bytes } = views[peaks.indexOf(operationsPerSecond)] ?? views[0];
  const bytesPerSecond = operations === 0 ? null : (operationsPerSecond * bytes) / operations;
  return { operationsPerSecond, bytesPerSecond, secondStart: null, hosts: 1 };
}

/**
 * @param {StageView} view
 * @param {number} bestTenths
 */
function ownPeak({ stage }, bestTenths) {
  return stage.peak ?? Math.max(bestTenths / 10, meanOf(stage));
}

/**
 * @param {Omit<ReadStage, 'seconds'>} stage without its peak, which cannot have been below the mean
 * @returns {number} ops/s; 0 if it is not known when the stage was
 */
function meanOf({ startedAt, endedAt, warmup, drain, paused, operations, warmupOperations, drainOperations }) {
  if (typeof startedAt !== 'number' || typeof endedAt !== 'number') {
    return 0;
  }
  const time = endedAt - startedAt - (warmup ?? 0) - (drain ?? 0) - (paused ?? 0);
  const measured = operations - (warmupOperations ?? 0) - (drainOperations ?? 0);
  return (1000 * Math.max(measured, 0)) / Math.max(time, 1);
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
  // In tenths, as the peaks are written: a sum of fractions would depend on the order of the hosts.
  return [...byHost.values()].reduce((sum, peak) => sum + Math.round(peak * 10), 0) / 10;
}

/** @param {readonly StageView[]} views */
function overlapOfViews(views) {
  const intervals = views.flatMap(({ host, interval }) => (interval === null ? [] : [{ host, ...interval }]));
  return intervals.length < views.length ? null : overlapOf(intervals);
}

/** @param {readonly StageView[]} views */
function missingLatencies(views) {
  return views.flatMap(({ host, run, stage }) => {
    const reason = missingPercentiles(stage);
    return reason === null ? [] : [{ host: host.name, file: host.file, line: run.line, reason }];
  });
}
