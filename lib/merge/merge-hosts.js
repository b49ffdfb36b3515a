import { addResults, addStages, averagesOf } from '../model/add-results.js';
import { countsInLog } from '../model/counters.js';
import { HISTOGRAM_FORMAT } from '../model/histogram.js';
import { FORMAT } from '../model/schema.js';
import { sumOfHistograms } from '../model/ramp.js';
import { addSecond } from '../model/seconds.js';
import { stageOfWay, wayOf } from '../model/ways.js';
import { OPERATIONS, STAGE_NAMES } from '../operations/registry.js';
import { hostSeries } from './host-series.js';
import { hostsOf, originOf, rampsOf, viewsOf } from './hosts.js';
import { isUnknownClock } from './machine-facts.js';
import { overlapOf } from './overlap.js';
import { bytesIn, PeakFinder } from './peak-finder.js';
import { mergeRamps, rampWarnings } from './ramp.js';
import { secondsOf, timeSeriesOf } from './seconds.js';
import {
  hostsOfOneRunApart,
  missingShards,
  mixedRuns,
  runsOfOneHostApart,
  runsOfOneWayApart,
  unknownNames,
} from './warnings.js';

/**
 * @import { HistogramSum } from '../model/histogram.js'
 * @import { ClockTrust, CommonCounts, CountName, HostOrigin, MergeWarning, PeakSecond, Result, SecondLatency, SecondResult } from '../model/result.js'
 * @import { BottleneckSum, KindSum, StageLatency, StageMerge, StageShare, StageSum, WayResult } from '../model/result.js'
 * @import { HostRun } from './host-run.js'
 * @import { Host, StageView } from './hosts.js'
 * @import { Intake } from './intake.js'
 * @import { KindLog, StageLog } from './stage-log.js'
 * @import { TimeSeriesRow } from './seconds.js'
 */

/**
 * @typedef {object} Merged what all logs and results say together
 * @property {MergedResult} result the seconds of its stages are worked out anew each time somebody goes through them
 * @property {() => Iterable<TimeSeriesRow>} timeSeries what each host did in each second, likewise
 * @property {MergeWarning[]} runsApart what does not belong into one sum, unless the user says so
 * @property {MergeWarning[]} runsOfWayApart likewise, where ways to the objects are looked at one by one
 *
 * @typedef {Omit<StageSum, 'seconds'> & { seconds: Iterable<SecondResult>, merge: StageMerge }} MergedStage
 * @typedef {Required<Omit<Result, 'stages'>> & { stages: MergedStage[] }} MergedResult
 */

/** @type {Readonly<StageLatency>} */
const UNKNOWN_LATENCY = Object.freeze({
  unit: 'ms',
  operations: null,
  attempts: null,
  firstByte: null,
  startDelay: null,
  histogram: { ...HISTOGRAM_FORMAT, operations: null, attempts: null, firstByte: null, startDelay: null },
});

/** @type {Readonly<SecondLatency>} */
const UNKNOWN_SECOND = Object.freeze({ p50: null, p99: null, maximum: null, histogram: null });

/** Stages whose objects come in the order of --access. */
const FOLLOWING_ACCESS = new Set(OPERATIONS.flatMap(({ followsAccess, logName }) => (followsAccess ? [logName] : [])));

/** What its lines for people tell of a log without totals. @type {readonly CountName[]} */
const TOLD_WITHOUT_TOTALS = ['operations', 'bytes', 'attempts', 'retries'];

const UNTOLD_WITHOUT_TOTALS = countsInLog('always').filter((name) => !TOLD_WITHOUT_TOTALS.includes(name));

/** A log without totals lacks most counters: what is known of them comes from the others. */
const UNTOLD_COUNTS = Object.fromEntries(
  /** @type {const} */ (['always', 'warm-up', 'drain', 'several', 'existing', 'parts', 'versions'])
    .flatMap(countsInLog)
    .map((name) => [name, 0]),
);

/** Logs without machine lines tell how many attempts failed, but not how. */
const UNKNOWN_KIND = 'unknown kind';

/**
 * @param {Intake} intake of logs and results that were read to their ends
 * @returns {Merged}
 */
export function mergeHosts(intake) {
  const hosts = hostsOf(intake.runs);
  const origin = originOf(hosts);
  /** @type {Map<string, StageView[]>} */
  const views = new Map();
  for (const stage of stagesOf(hosts)) {
    const ofStage = viewsOf(stage, hosts, origin.second);
    if (ofStage.length > 0) {
      views.set(stage, ofStage);
    }
  }
  const lost = missingShards(intake.runs);
  const stages = [...views].map(([stage, ofStage]) => {
    const ramps = mergeRamps(rampsOf(stage, hosts), lost.length > 0);
    const stageSum = mergeStage(ofStage, intake.latenciesOf(stage), ramps);
    return intake.shared.keepsSecondLatencies ? withSeries(stageSum, ofStage) : stageSum;
  });
  const ways = mergeWays(hosts, views, intake);
  const merge = {
    peaks: Object.fromEntries(stages.map((stage) => [stage.stage, stage.merge.peak.operationsPerSecond])),
    isDated: origin.isDated,
    clocks: clockTrust(hosts),
    warnings: [
      ...intake.warnings(),
      ...mixedRuns(intake.runs),
      ...hostsOfOneRunApart(views),
      ...lost,
      ...rampWarnings(stages, new Map(hosts.map(({ name, file }) => [name, file]))),
      ...unknownNames(intake.runs),
    ],
    ...(ways.length > 1 ? { ways } : {}),
  };
  const together = addResults(hosts.flatMap((host) => host.runs.map((run) => resultOf(run, host))));
  return {
    // What was asserted of one host is not asserted of all.
    result: { ...together, thresholds: [], stages, merge },
    timeSeries: () => timeSeriesOf(views),
    runsApart: runsOfOneHostApart(views),
    runsOfWayApart: runsOfOneWayApart(views),
  };
}

/**
 * @param {readonly Host[]} hosts
 * @param {ReadonlyMap<string, readonly StageView[]>} views by stage
 * @param {Intake} intake
 * @returns {WayResult[]} what the hosts of each way did, in the order of the hosts
 */
function mergeWays(hosts, views, intake) {
  const ways = new Set([...views.values()].flatMap((ofStage) => ofStage.map(({ run }) => run.way)));
  if (ways.size < 2) {
    return [];
  }
  const runs = hosts.flatMap((host) => host.runs.map((run) => ({ name: host.name, run })));
  return [...new Set(runs.map(({ run }) => run.way))]
    .filter((way) => ways.has(way))
    .map((way) => {
      const ofWay = runs.filter(({ run }) => run.way === way);
      const stages = [...views].flatMap(([stage, ofStage]) => {
        const shares = ofStage.filter(({ run }) => run.way === way);
        return shares.length === 0 ? [] : [stageOfWay(mergeStage(shares, intake.latenciesOf(stage, way), null))];
      });
      const [{ run }] = ofWay;
      return { ...wayOf(run.facts?.options), hosts: [...new Set(ofWay.map(({ name }) => name))], stages };
    });
}

/**
 * @param {HostRun} run
 * @param {Host} host
 * @returns {Result} of the run alone, without its stages
 */
function resultOf(run, { name, file }) {
  const { facts, line } = run;
  /** @type {HostOrigin} */
  const merge = { name, file, line };
  if (run.result !== null) {
    return { ...run.result, hosts: run.result.hosts.map((each) => ({ ...each, merge })) };
  }
  const common = {
    run: facts?.run ?? null,
    host: facts?.host ?? null,
    shard: facts?.shard ?? null,
    start: facts === null || facts.start === null ? null : new Date(facts.start).toISOString(),
    clock: facts?.clock ?? null,
    versions: facts?.versions ?? null,
    options: facts?.options ?? null,
  };
  const unknown = { exitStatus: null, problems: [], cleanup: null, requests: null };
  return { format: FORMAT, ...common, ...unknown, hosts: [{ ...common, merge }], stages: [] };
}

/**
 * @param {readonly StageView[]} views of one stage
 * @returns {Generator<SecondResult, void, undefined>}
 */
function* secondResults(views) {
  for (const { second, hosts } of secondsOf(views)) {
    yield addSecond(
      hosts.map(({ view, tenths, bytes }) => ({
        secondStart: second,
        operations: tenths / 10,
        bytes: Math.round(bytesIn({ view, tenths, bytes })),
        ...(view.log.secondDetails.get(second - view.shift) ?? UNKNOWN_SECOND),
      })),
    );
  }
}

/** @param {readonly Host[]} hosts */
function stagesOf(hosts) {
  return new Set([...STAGE_NAMES, ...hosts.flatMap(({ runs }) => runs.flatMap(({ stages }) => [...stages.keys()]))]);
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
    if (runs.some(({ isOurs }) => !isOurs)) {
      trust.withoutMachineLines.push(name);
    } else if (runs.some((run) => uncertaintiesOf(run).length === 0 || run.unknownClocks().length > 0)) {
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
function uncertaintiesOf({ facts, stages }) {
  const clocks = [facts?.clock, ...[...stages.values()].map((stage) => stage.facts?.clock)];
  return clocks.flatMap((clock) => (clock && !isUnknownClock(clock) ? [clock.uncertainty] : []));
}

/**
 * @param {readonly StageView[]} views at least one
 * @param {HistogramSum | undefined} latencies of all of them
 * @param {ReturnType<typeof mergeRamps>} ramps
 * @returns {MergedStage}
 */
function mergeStage(views, latencies, ramps) {
  const hosts = new Set(views.map(({ host }) => host)).size;
  const finder = new PeakFinder(hosts);
  /** Tenths of ops/s in the best second of each. @type {Map<StageView, number>} */
  const best = new Map();
  for (const { second, hosts: inSecond } of secondsOf(views)) {
    const measured = inSecond.filter(({ view }) => isMeasured(view, second));
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
  return {
    ...sum,
    seconds: { [Symbol.iterator]: () => secondResults(views) },
    ...(ramps === null ? {} : { ramp: ramps.ramp }),
    peak: peak.operationsPerSecond,
    latency: missingLatency.length > 0 ? UNKNOWN_LATENCY : latencyOf(sum.latency, latencies),
    merge: {
      hosts,
      isAtLeast: views.some(({ log }) => log.isCut),
      peak,
      sustained: finder.sustained,
      together: finder.together(),
      sumOfPeaks: sumOfPeaks(bounds),
      overlap: overlapOfViews(views),
      shares: views.map(({ host, log, interval, operations }, place) => ({
        host: host.name,
        file: host.file,
        startedAt: interval?.start ?? null,
        endedAt: interval?.stop ?? null,
        operations,
        peak: ownPeaks.get(views[place]) ?? 0,
        ...limitOf(log),
      })),
      missingLatency,
      ...(views.some(({ log }) => log.facts === null) ? { untold: UNTOLD_WITHOUT_TOTALS } : {}),
      ...(ramps === null ? {} : { ramp: ramps.merged }),
    },
  };
}

/**
 * @param {StageView} view
 * @param {number} second of which it has a line
 * @returns {boolean} whether what it did in it is in rates
 */
function isMeasured({ log, shift, measuredFrom, measuredUntil }, second) {
  return second >= measuredFrom && second < measuredUntil && !log.isNextToPause(second - shift);
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
 * @returns {StageSum} what the host says of the stage, without its seconds
 */
function stageOf(view) {
  const { run, log, interval } = view;
  const { facts } = log;
  if (log.result !== null) {
    return { ...log.result, startedAt: interval?.start ?? null, endedAt: interval?.stop ?? null };
  }
  const counts = countsOf(view);
  const times = {
    startedAt: interval?.start ?? null,
    endedAt: interval?.stop ?? null,
    duration: interval === null ? null : interval.stop - interval.start - (facts?.paused ?? 0),
    warmup: facts === null ? null : facts.measuredFrom - facts.start,
    drain: facts === null ? null : facts.stop - facts.measuredUntil,
  };
  return {
    stage: log.name,
    end: facts?.end ?? null,
    objects: facts?.objects ?? log.scheduled,
    threads: facts?.threads ?? null,
    objectSize: run.facts?.size ?? null,
    ...(run.facts?.sizes ? { sizes: run.facts.sizes } : {}),
    ...(run.facts?.access && FOLLOWING_ACCESS.has(log.name) ? { access: run.facts.access } : {}),
    ...times,
    ...(facts?.paused ? { paused: facts.paused } : {}),
    ...averagesOf(counts, times),
    peak: null,
    ...counts,
    ...(facts !== null && Object.keys(facts.further).length > 0 ? { further: facts.further } : {}),
    seconds: [],
    latency: UNKNOWN_LATENCY,
    bottleneck: bottleneckOf(log.limit, facts?.limitedBy),
    storeClock: facts?.clock ?? null,
    ...(log.kinds.size === 0 ? {} : { kinds: [...log.kinds.values()].map((kind) => kindOf(kind, log, times)) }),
  };
}

/**
 * @param {KindLog} log
 * @param {StageLog} stage
 * @param {Parameters<typeof averagesOf>[1]} times of its stage
 * @returns {KindSum}
 */
function kindOf({ facts, histogram }, { kindLimits }, times) {
  const { operation, threads, limitedBy, counts, errors } = facts;
  const latencies = histogram === null ? null : sumOfHistograms([histogram]);
  return {
    operation,
    threads,
    ...averagesOf({ ...counts, errors }, times),
    peak: null,
    peakBytes: null,
    latency: {
      ...UNKNOWN_LATENCY,
      operations: latencies?.latency ?? null,
      histogram: { ...UNKNOWN_LATENCY.histogram, operations: latencies?.histogram ?? null },
    },
    unloaded: null,
    bottleneck: bottleneckOf(kindLimits.get(operation) ?? null, limitedBy),
    ...counts,
    errors,
  };
}

/**
 * The line for people has the figures as well. Where it is missing, the line for programs has the cause.
 *
 * @param {BottleneckSum | null} limit what the line for people says
 * @param {string | null | undefined} limitedBy what the line for programs says
 * @returns {BottleneckSum | null}
 */
function bottleneckOf(limit, limitedBy) {
  const { cause, evidence, advice } = limit ?? { cause: limitedBy ?? null, evidence: null, advice: null };
  return cause === null ? null : { cause: currentCause(cause), evidence, advice };
}

/**
 * @param {StageLog} log
 * @returns {Pick<StageShare, 'limitedBy' | 'evidence' | 'advice'>}
 */
function limitOf({ limit, facts, result }) {
  const bottleneck = result?.bottleneck ?? bottleneckOf(limit, facts?.limitedBy);
  const { cause = null, evidence = null, advice = null } = bottleneck ?? {};
  return { limitedBy: cause, ...(evidence === null ? {} : { evidence, advice }) };
}

/**
 * @param {string} cause of whatever version
 * @returns {string} in the words of this one
 */
function currentCause(cause) {
  return cause === 'not shown' ? 'inconclusive' : cause;
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
  const peaks = views.map(({ log }) => reportedPeak(log));
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
function ownPeak({ log }, bestTenths) {
  return log.summary === null ? Math.max(bestTenths / 10, reportedPeak(log)) : reportedPeak(log);
}

/**
 * @param {StageLog} log
 * @returns {number} ops/s of the summary; where that is lost the mean, below which it cannot have been; 0 where the totals
 *   are lost as well
 */
function reportedPeak({ summary, facts }) {
  if (summary !== null) {
    return summary.peakOperationsPerSecond;
  }
  if (facts === null) {
    return 0;
  }
  const { measured, drained, measuredFrom, measuredUntil, paused } = facts;
  return (1000 * Math.max(measured - drained, 0)) / Math.max(measuredUntil - measuredFrom - paused, 1);
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
  return views.flatMap(({ host, log }) => {
    const reason = log.missingHistogram();
    return reason === null ? [] : [{ host: host.name, file: host.file, line: log.factsLine ?? log.line, reason }];
  });
}

/**
 * @param {StageLatency} known what results say exactly
 * @param {HistogramSum | undefined} latencies of operations, of logs and results
 * @returns {StageLatency}
 */
function latencyOf(known, latencies) {
  if (known.histogram.operations !== null || latencies === undefined) {
    return known;
  }
  const histogram = { ...known.histogram, operations: latencies.encode() };
  return { ...known, operations: latencies.summary(), histogram };
}

/**
 * @param {StageView} view
 * @returns {CommonCounts & Pick<StageSum, 'errors'>}
 */
function countsOf({ log: { facts, summary, retries: retried }, operations, bytes }) {
  if (facts !== null) {
    return { ...facts.counts, errors: Object.fromEntries(facts.errors) };
  }
  const retries = summary?.recoverableErrors ?? retried;
  const errors = { [UNKNOWN_KIND]: retries };
  return { ...UNTOLD_COUNTS, operations, bytes, attempts: operations + retries, retries, errors };
}
