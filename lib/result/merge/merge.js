import { addResults, addStages, UNKNOWN_STAGE } from '../add.js';
import { isCut, missingPercentiles } from '../completeness.js';
import { UNKNOWN_LATENCY } from '../histogram.js';
import { addSecond } from '../seconds.js';
import { OPERATIONS, STAGE_NAMES } from '../../load/operations/registry.js';
import { placeOf } from '../../text/plain-text.js';
import { hostRunOf, hostsOf, originOf, rampsOf, viewsOf } from './hosts.js';
import { PeakFinder, overlapOf, secondsOf, timeSeriesOf } from './seconds.js';
import { mergeRamps, rampWarnings } from './ramp.js';
import { differentLoads, missingShards, runsOfOneHostApart } from './warnings.js';

/**
 * @import { ReadRun, ReadStage } from '../log/read-log.js'
 * @import { ClockTrust, MeanTogether, MergeWarning, Overlap, PeakSecond, Result, SecondResult, StageMerge, StageShare, StageSum } from '../result.js'
 * @import { Host, HostRun, StageView } from './hosts.js'
 * @import { TimeSeriesRow } from './seconds.js'
 *
 * @typedef {object} Merged
 * @property {MergedResult} result seconds are computed during each iteration over them
 * @property {() => Iterable<TimeSeriesRow>} timeSeries seconds of each host, also computed during iteration
 * @property {MergeWarning[]} runsApart runs that should not be added up unless the user insists
 *
 * @typedef {Omit<StageSum, 'seconds'> & { seconds: Iterable<SecondResult>, merge: StageMerge }} MergedStage
 * @typedef {Required<Omit<Result, 'stages'>> & { stages: MergedStage[] }} MergedResult
 */

const FOLLOWING_ACCESS = new Set(OPERATIONS.flatMap(({ followsAccess, logName }) => (followsAccess ? [logName] : [])));

/**
 * Merges runs of several hosts: `Result[]` becomes one `Result`.
 *
 * @param {readonly ReadRun[]} reads runs of one host each, in file order
 * @param {object} [options]
 * @param {readonly MergeWarning[]} [options.warnings] about the files
 * @returns {Merged}
 */
export function mergeRuns(reads, { warnings = [] } = {}) {
  const { counted, refused } = countedRuns(reads);
  const runs = counted.map(hostRunOf);
  const hosts = hostsOf(runs);
  const origin = originOf(hosts);
  /** @type {Map<string, StageView[]>} */
  const views = new Map();
  for (const stage of stagesOf(hosts)) {
    const stageViews = viewsOf(stage, hosts, origin.second);
    if (stageViews.length > 0) {
      views.set(stage, stageViews);
    }
  }
  const lost = missingShards(runs);
  const stages = [...views].map(([stage, stageViews]) => {
    const ramps = mergeRamps(rampsOf(stage, hosts), lost.length > 0);
    return mergeStage(stageViews, ramps);
  });
  const merge = {
    peaks: Object.fromEntries(stages.map((stage) => [stage.stage, stage.merge.peak.operationsPerSecond])),
    isDated: origin.isDated,
    clocks: clockTrust(hosts),
    warnings: [
      ...warnings,
      ...refused,
      ...counted.flatMap((read) => read.warnings),
      ...differentLoads(runs),
      ...lost,
      ...rampWarnings(stages, new Map(hosts.map(({ name, file }) => [name, file]))),
    ],
  };
  const together = addResults(hosts.flatMap((host) => host.runs.map((run) => withOrigin(run, host))));
  return {
    // A threshold for one host does not apply to all hosts together.
    result: { ...together, thresholds: [], stages, merge },
    timeSeries: () => timeSeriesOf(views),
    runsApart: runsOfOneHostApart([...views.values()].flat()),
  };
}

/** `counted` contains each run once. @param {readonly ReadRun[]} reads */
function countedRuns(reads) {
  /** The most complete read of each run of a host. @type {Map<string, ReadRun>} */
  const best = new Map();
  for (const read of reads.filter((each) => whyNotCounted(each) === null)) {
    const known = best.get(identityOf(read));
    best.set(identityOf(read), known === undefined || isMoreComplete(read, known) ? read : known);
  }
  /** The first counted read of each run and shard. @type {Map<string, ReadRun>} */
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
    const kept = best.get(identityOf(read)) ?? read;
    const isCopy = result.run !== null && kept !== read;
    const name = `${result.run} ${result.shard}`;
    const other = isCopy ? kept : known.get(name);
    if (result.run === null || other === undefined) {
      known.set(name, read);
      return true;
    }
    const shard = result.shard === null ? '' : `, shard ${result.shard},`;
    const what = `run ${result.run}${shard} also appears in ${placeOf(other)}`;
    const message = `${what}: ${isCopy ? 'counted once' : 'both are counted, because their hosts or start times differ'}`;
    refused.push({ file, line, message, incomplete: false });
    return !isCopy;
  });
  return { counted, refused };
}

/** @param {ReadRun} read */
function identityOf({ result: { run, shard, start, host } }) {
  return JSON.stringify([run, shard, start, host]);
}

/**
 * @param {ReadRun} one
 * @param {ReadRun} other of the same run
 */
function isMoreComplete(one, other) {
  const [ofOne, ofOther] = [one, other].map(({ result: { stages }, warnings }) => ({
    operations: stages.reduce((sum, { operations }) => sum + operations, 0),
    gaps: warnings.filter(({ incomplete }) => incomplete).length,
  }));
  const more = ofOne.operations - ofOther.operations;
  return more > 0 || (more === 0 && ofOne.gaps < ofOther.gaps);
}

/**
 * A merged result cannot be split into hosts again, and the steps of a search are loads of different sizes.
 *
 * @param {ReadRun} read
 * @returns {string | null} null if the run can be added up
 */
function whyNotCounted({ result: { hosts, merge, options }, line }) {
  if (merge !== undefined || hosts.length !== 1) {
    return `a merged result (hosts: ${hosts.length}) cannot be merged again, so it is not counted; give the logs or results of its hosts`;
  }
  const begins = line === null ? '' : ' begins here';
  return options?.findPeak ? `a --find-peak search${begins}: not counted, because searches cannot be added up` : null;
}

/**
 * @param {HostRun} run
 * @param {Host} host
 * @returns {Result} without its stages
 */
function withOrigin({ result, line }, { name, file }) {
  const hosts = result.hosts.map((each) => ({ ...each, merge: { name, file, line } }));
  return { ...result, hosts, stages: [] };
}

/**
 * @param {readonly StageView[]} views of one stage
 * @returns {Generator<SecondResult, void, undefined>}
 */
function* secondResults(views) {
  for (const { second, hosts } of secondsOf(views)) {
    yield addSecond(
      hosts.map(({ view }) => ({ ...view.stage.seconds.resultOf(second - view.shift), secondStart: second })),
    );
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
  const clocks = hosts.flatMap(({ name, runs }) =>
    runs.flatMap(({ result: { clock } }) => (clock === null ? [] : [{ uncertainty: clock.uncertainty, host: name }])),
  );
  const [old, own] = [false, true].map((has) =>
    hosts.filter(({ runs }) => runs.every(({ hasMachineLines }) => hasMachineLines) === has),
  );
  return {
    worst: clocks.toSorted((one, other) => other.uncertainty - one.uncertainty)[0] ?? null,
    trusted: own.filter(({ runs }) => runs.some(({ result }) => result.clock === null)).map(({ name }) => name),
    withoutMachineLines: old.map(({ name }) => name),
  };
}

/**
 * @param {readonly StageView[]} views at least one
 * @param {ReturnType<typeof mergeRamps>} ramps
 * @returns {MergedStage}
 */
function mergeStage(views, ramps) {
  const hosts = new Set(views.map(({ host }) => host)).size;
  const finder = new PeakFinder(hosts);
  /** Tenths of ops/s in each view's best second. @type {Map<StageView, number>} */
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
  const sum = addStages(views.map(stageOf));
  const peak = peakOf(finder, views, hosts, sum);
  const intervals = views.flatMap(({ host, interval }) => (interval === null ? [] : [{ host, ...interval }]));
  const timed = views.filter(({ stage }) => stage.latency.histogram.operations !== null && !missingPercentiles(stage));
  const [together, overlap] = [finder.together(), intervals.length < views.length ? null : overlapOf(intervals)];
  return {
    ...sum,
    ...(views.length > 1 || sum.average === null ? ratesOf(together, overlap, sum) : {}),
    seconds: { [Symbol.iterator]: () => secondResults(views) },
    ...(ramps === null ? {} : { ramp: ramps.ramp }),
    peak: peak.operationsPerSecond,
    latency: timed.length > 0 ? addStages(timed.map(stageOf)).latency : UNKNOWN_LATENCY,
    merge: {
      hosts,
      isAtLeast: views.some(({ stage }) => isCut(stage)),
      peak,
      sustained: finder.sustained,
      together,
      overlap,
      shares: views.map((view) => shareOf(view, view.stage.peak ?? (best.get(view) ?? 0) / 10)),
      missingLatency: missingLatencies(views),
      ...(ramps === null ? {} : { ramp: ramps.merged }),
    },
  };
}

/**
 * While all hosts were in the stage, or over the whole stage if no second was whole. Runs that were never in it at once
 * have no common rate.
 *
 * @param {MeanTogether | null} together
 * @param {Overlap | null} overlap
 * @param {StageSum} sum of the hosts
 */
function ratesOf(together, overlap, { average, averageBytes }) {
  const isApart = together === null && overlap?.together === 0;
  return {
    average: isApart ? null : (together?.operationsPerSecond ?? average),
    averageBytes: isApart ? null : (together?.bytesPerSecond ?? averageBytes),
  };
}

/**
 * @param {StageView} view
 * @param {number} second with a line in the view
 */
function isInRates({ stage, shift, measuredFrom, measuredUntil }, second) {
  const wasSuspended = Boolean(stage.paused) && stage.seconds.isNextToGap(second - shift);
  return second >= measuredFrom && second < measuredUntil && !wasSuspended;
}

/**
 * @param {StageView} view
 * @param {number} peak ops/s
 * @returns {StageShare}
 */
function shareOf({ host, interval, stage: { operations, bottleneck } }, peak) {
  const { cause = null, certainty = null, evidence = null, advice = null } = bottleneck ?? {};
  return {
    host: host.name,
    file: host.file,
    startedAt: interval?.start ?? null,
    endedAt: interval?.stop ?? null,
    operations,
    peak,
    ...{ limitedBy: cause, certainty, evidence, advice },
  };
}

/**
 * @param {StageView} view
 * @returns {StageSum} without its seconds
 */
function stageOf({ run: { result }, stage, interval }) {
  const { options } = result;
  const times = { startedAt: interval?.start ?? null, endedAt: interval?.stop ?? null };
  const { size = null, sizes = null, access = null } = options ?? {};
  return {
    ...UNKNOWN_STAGE,
    ...{ objectSize: size, sizes, access: FOLLOWING_ACCESS.has(stage.stage) ? access : null },
    ...stage,
    ...times,
    ...(typeof stage.startedAt === 'number' ? {} : ratesBetween(stage, times)),
    seconds: [],
  };
}

/**
 * @param {ReadStage} stage whose exact times are unknown
 * @param {{ startedAt: number | null, endedAt: number | null }} times of its seconds
 */
function ratesBetween(stage, { startedAt, endedAt }) {
  const ofSeconds = startedAt === null || endedAt === null ? null : endedAt - startedAt;
  // That of a summary is more exact, and includes the seconds without a line.
  const duration = stage.duration ?? ofSeconds;
  const rateOf = (/** @type {number} */ count) => (duration ? (1000 * count) / duration : null);
  return {
    ...{ startedAt, endedAt, duration, warmup: null, drain: null },
    average: rateOf(stage.operations),
    averageBytes: rateOf(stage.bytes),
  };
}

/**
 * For a single host, the peak in its summary also counts: the rate of a stage shorter than a second appears only there
 * or in the totals. Summaries of several hosts are not added up, because their peaks may be in different seconds: their
 * mean counts instead. It is too inexact if a host's times are known only from the lines of its seconds.
 *
 * @param {PeakFinder} finder
 * @param {readonly StageView[]} views
 * @param {number} hosts
 * @param {StageSum} sum of the views
 * @returns {PeakSecond}
 */
function peakOf({ peak }, views, hosts, sum) {
  const isOfOne = peak === null || hosts === 1;
  const isTimed = views.every(({ stage }) => typeof stage.startedAt === 'number');
  const stages = isOfOne ? views.map(({ stage }) => stage) : [{ ...sum, peak: isTimed ? sum.average : null }];
  const peaks = stages.map((stage) => stage.peak ?? 0);
  const operationsPerSecond = peaks.reduce((one, other) => Math.max(one, other), 0);
  if (peak !== null && peak.operationsPerSecond >= operationsPerSecond) {
    return peak;
  }
  const { operations, bytes } = stages[peaks.indexOf(operationsPerSecond)] ?? sum;
  const bytesPerSecond = operations === 0 ? null : (operationsPerSecond * bytes) / operations;
  return { operationsPerSecond, bytesPerSecond, secondStart: null, hosts: isOfOne ? 1 : hosts };
}

/** @param {readonly StageView[]} views */
function missingLatencies(views) {
  return views.flatMap(({ host, run, stage }) => {
    const reason = missingPercentiles(stage);
    return reason === null ? [] : [{ host: host.name, file: host.file, line: run.line, reason }];
  });
}
