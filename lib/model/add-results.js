import { isDeepStrictEqual } from 'node:util';
import { addCounts, sumOf, sumsByName } from './counters.js';
import { Histogram, toStageLatency } from './histogram.js';
import { addRamps } from './ramp.js';
import { FORMAT } from './schema.js';
import { addSeconds, peakOf } from './seconds.js';
import { STAGE_ENDS } from './stage-ends.js';

/**
 * @import { SomeCounts } from './counters.js'
 * @import { CountName } from './result.js'
 * @import { BottleneckSum, BucketSum, CacheSum, KindSum, PartSum, PartsSum, CleanupResult, ClientLoad, CommonFacts, CommonOptions, ConnectionResult } from './result.js'
 * @import { LatencySummary, LoadResult, RequestCounts, Result, SecondResult, StageCounts, StageLatency, StageSum } from './result.js'
 */

/** The empty result: adding it to other results does not change them. @type {Readonly<Result>} */
export const EMPTY_RESULT = Object.freeze({
  format: FORMAT,
  run: null,
  host: null,
  shard: null,
  start: null,
  clock: null,
  versions: null,
  options: null,
  problems: [],
  hosts: [],
  stages: [],
  cleanup: null,
  requests: null,
});

/**
 * Combines results of hosts that measured together. Adds counts and histograms. Facts that differ between hosts, or
 * make no sense for several hosts, become null. Results of a single host, such as searches and thresholds, are omitted.
 *
 * @param {readonly Result[]} results
 * @returns {Result} independent of the order of `results`, except in the order of hosts, problems and stages
 */
export function addResults(results) {
  const parts = results.filter(({ hosts }) => hosts.length > 0);
  if (parts.length < 2) {
    return parts[0] ?? EMPTY_RESULT;
  }
  const names = new Set(parts.flatMap(({ stages }) => stages.map(({ stage }) => stage)));
  return {
    format: FORMAT,
    ...commonFacts(parts),
    problems: parts.flatMap(({ problems }) => problems),
    hosts: parts.flatMap(({ hosts }) => hosts),
    cleanup: addCleanups(parts.map(({ cleanup }) => cleanup)),
    requests: addRequests(parts.map(({ requests }) => requests)),
    thresholds: [],
    stages: [...names].map((name) => {
      return addStages(parts.flatMap(({ stages }) => stages.filter(({ stage }) => stage === name)));
    }),
  };
}

/** @param {readonly CommonFacts[]} parts at least one */
function commonFacts(parts) {
  return {
    run: common(parts.map(({ run }) => run)),
    host: common(parts.map(({ host }) => host)),
    shard: common(parts.map(({ shard }) => shard)),
    start: common(parts.map(({ start }) => start)),
    clock: common(parts.map(({ clock }) => clock)),
    versions: /** @type {CommonFacts['versions']} */ (commonFields(parts.map(({ versions }) => versions))),
    options: /** @type {CommonOptions | null} */ (commonFields(parts.map(({ options }) => options))),
  };
}

/**
 * @template Value
 * @param {readonly Value[]} values at least one
 * @returns {Value | null} null if they differ
 */
function common([first, ...others]) {
  return others.every((other) => isDeepStrictEqual(first, other)) ? first : null;
}

/** Compares field by field. Returns null if a part is null. @param {readonly (object | null)[]} parts */
function commonFields(parts) {
  const known = /** @type {Record<string, unknown>[]} */ (parts.filter((part) => part !== null));
  if (known.length < parts.length) {
    return null;
  }
  const names = new Set(known.flatMap((part) => Object.keys(part)));
  return Object.fromEntries([...names].map((name) => [name, common(known.map((part) => part[name] ?? null))]));
}

/**
 * @param {readonly StageSum[]} stages at least one
 * @returns {StageSum}
 */
export function addStages(stages) {
  if (stages.length === 1) {
    return stages[0];
  }
  const counts = /** @type {StageCounts} */ (addCounts(stages));
  const further = sumsByName(stages.map((stage) => stage.further ?? {}));
  const times = addTimes(stages);
  const seconds = addSeconds(stages.map((stage) => stage.seconds));
  const rates = averagesOf(counts, times);
  return {
    stage: stages[0].stage,
    end: worstEnd(stages.map(({ end }) => end ?? null)),
    objects: sumOf(stages.map(({ objects }) => objects)),
    threads: sumOf(stages.map(({ threads }) => threads)),
    objectSize: common(stages.map(({ objectSize = null }) => objectSize)),
    ...commonWhereAny('sizes', stages),
    ...commonWhereAny('access', stages),
    ...times,
    ...addPauses(stages),
    ...rates,
    peak: largestSecond(seconds, times, rates.average),
    peakBytes: null,
    failedAttempts: sumOf(stages.map(({ failedAttempts }) => failedAttempts)),
    ...counts,
    ...(Object.keys(further).length === 0 ? {} : { further }),
    latency: addLatencies(stages.map(({ latency }) => latency)),
    connections: addConnections(stages.map(({ connections = null }) => connections)),
    clientLoad: addClientLoads(stages.map(({ clientLoad = null }) => clientLoad)),
    hostLoad: null,
    load: addLoads(stages.map(({ load = null }) => load)),
    unloaded: common(stages.map(({ unloaded = null }) => unloaded)),
    objectsNeeded: sumOf(stages.map(({ objectsNeeded }) => objectsNeeded)),
    bottleneck: commonBottleneck(stages.map(({ bottleneck = null }) => bottleneck)),
    storeClock: common(stages.map(({ storeClock = null }) => storeClock)),
    seconds,
    ...addKinds(stages, times),
    ...addBuckets(stages, times),
    ...addSizeClasses(stages, stages, times),
    ...addReads(stages, stages, times),
    ...addCaches(stages, stages, times),
    ...addRampsOf(stages),
  };
}

/** Returns an empty object if no host was suspended. @param {readonly StageSum[]} stages */
function addPauses(stages) {
  const paused = stages.reduce((sum, stage) => sum + (stage.paused ?? 0), 0);
  return paused === 0 ? {} : { paused };
}

/**
 * @param {'sizes' | 'access'} name
 * @param {readonly StageSum[]} stages
 * @returns {Pick<StageSum, 'sizes' | 'access'>} empty if no stage has this field
 */
function commonWhereAny(name, stages) {
  const values = stages.map((stage) => stage[name] ?? null);
  return values.every((value) => value === null) ? {} : { [name]: common(values) };
}

/**
 * @param {readonly StageSum[]} stages
 * @param {Times} times
 * @returns {{ kinds?: KindSum[] }} empty unless all stages are mixed and report their kinds
 */
function addKinds(stages, times) {
  const parts = stages.flatMap((stage) =>
    stage.kinds === undefined ? [] : [stage.kinds.map((kind) => ({ ...kind, stage }))],
  );
  if (parts.length < stages.length) {
    return {};
  }
  const operations = new Set(parts.flat().map(({ operation }) => operation));
  return {
    kinds: [...operations].map((operation) => {
      const same = parts.flat().filter((kind) => kind.operation === operation);
      const itsStages = same.map(({ stage }) => stage);
      const counts = /** @type {StageCounts} */ (addCounts(same));
      return {
        operation,
        threads: sumOf(same.map(({ threads }) => threads)),
        ...averagesOf(counts, times),
        peak: null,
        peakBytes: null,
        failedAttempts: sumOf(same.map(({ failedAttempts }) => failedAttempts)),
        latency: addLatencies(same.map(({ latency }) => latency)),
        unloaded: common(same.map(({ unloaded = null }) => unloaded)),
        bottleneck: commonBottleneck(same.map(({ bottleneck = null }) => bottleneck)),
        ...counts,
        ...addSizeClasses(same, itsStages, times),
        ...addReads(same, itsStages, times),
        ...addCaches(same, itsStages, times),
      };
    }),
  };
}

/**
 * @param {readonly PartsSum[]} all
 * @param {readonly Partial<Times>[]} stages the stage of each part
 * @param {Times} times of the sum
 * @returns {Pick<PartsSum, 'sizeClasses'>} empty unless all parts have the same size classes
 */
function addSizeClasses(all, stages, times) {
  const known = all.flatMap(({ sizeClasses }) => (sizeClasses === undefined ? [] : [sizeClasses]));
  const bounds = known.map((classes) => classes.map(({ from, to }) => ({ from, to })));
  const same = known.length === all.length && common(bounds);
  if (!same) {
    return {};
  }
  return {
    sizeClasses: same.map((each, index) => ({
      ...each,
      ...addParts(
        known.map((classes) => classes[index]),
        stages,
        times,
      ),
    })),
  };
}

/**
 * @param {readonly PartsSum[]} all
 * @param {readonly Partial<Times>[]} stages the stage of each part
 * @param {Times} times of the sum
 * @returns {Pick<PartsSum, 'reads'>} empty unless all parts distinguish first and repeated reads
 */
function addReads(all, stages, times) {
  const known = all.flatMap(({ reads }) => (reads === undefined ? [] : [reads]));
  if (known.length < all.length) {
    return {};
  }
  const sum = (/** @type {'first' | 'repeated'} */ name) =>
    addParts(
      known.map((reads) => reads[name]),
      stages,
      times,
    );
  return { reads: { first: sum('first'), repeated: sum('repeated') } };
}

/**
 * @param {readonly PartsSum[]} all
 * @param {readonly Partial<Times>[]} stages the stage of each part
 * @param {Times} times of the sum
 * @returns {Pick<PartsSum, 'cache'>} empty without reads through a cache
 */
function addCaches(all, stages, times) {
  const known = all.flatMap(({ cache }, index) =>
    cache === undefined ? [] : cache.map((of) => ({ of, stage: stages[index] })),
  );
  if (known.length === 0) {
    return {};
  }
  const statuses = [...new Set(known.map(({ of }) => of.status))];
  const sums = statuses.map((status) => {
    const same = known.filter(({ of }) => of.status === status);
    const parts = same.map(({ of }) => of);
    return {
      status,
      ...addParts(
        parts,
        same.map(({ stage }) => stage),
        times,
      ),
      maxAge: largestOf(parts.map(({ maxAge }) => maxAge)),
    };
  });
  return { cache: sums.sort(byFrequency) };
}

/** Returns null if all values are unknown. @param {readonly (number | null)[]} values */
function largestOf(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * @param {Pick<CacheSum, 'status' | 'operations'>} one
 * @param {Pick<CacheSum, 'status' | 'operations'>} other
 */
export function byFrequency(one, other) {
  return other.operations - one.operations || (one.status < other.status ? -1 : 1);
}

/**
 * @param {readonly PartSum[]} parts
 * @param {readonly Partial<Times>[]} stages the stage of each part
 * @param {Times} times of the sum
 * @returns {PartSum}
 */
function addParts(parts, stages, times) {
  const rateOfSum = (/** @type {'average' | 'averageBytes'} */ name) => {
    const counts = parts.map((part, index) => countIn(part[name], stages[index]));
    return rateOf(sumOf(counts), times);
  };
  const { summary, encoded } = addHistograms(
    parts.map(({ latency, histogram }) => ({ summary: latency, encoded: histogram })),
  );
  return {
    operations: sumOfKnown(parts.map(({ operations }) => operations)),
    bytes: sumOfKnown(parts.map(({ bytes }) => bytes)),
    average: rateOfSum('average'),
    averageBytes: rateOfSum('averageBytes'),
    latency: summary,
    histogram: encoded,
  };
}

/**
 * Adds the figures of each bucket. Hosts may use different buckets.
 *
 * @param {readonly StageSum[]} stages
 * @param {Times} times
 * @returns {{ buckets?: BucketSum[] }} empty unless all stages report their buckets
 */
function addBuckets(stages, times) {
  const parts = stages.flatMap((stage) =>
    stage.buckets === undefined
      ? []
      : [stage.buckets.map((bucket) => ({ ...bucket, measured: countIn(bucket.average, stage) }))],
  );
  if (parts.length < stages.length) {
    return {};
  }
  const all = parts.flat();
  return {
    buckets: [...new Set(all.map(({ bucket }) => bucket))].map((bucket) => {
      const same = all.filter((each) => each.bucket === bucket);
      const sum = (/** @type {'operations' | 'failed' | 'failedAttempts' | 'throttled'} */ name) =>
        same.reduce((total, each) => total + each[name], 0);
      const { summary, encoded } = addHistograms(
        same.map(({ latency, histogram }) => ({ summary: latency, encoded: histogram })),
      );
      return {
        bucket,
        operations: sum('operations'),
        failed: sum('failed'),
        failedAttempts: sum('failedAttempts'),
        throttled: sum('throttled'),
        average: rateOf(sumOf(same.map(({ measured }) => measured)), times),
        latency: summary,
        histogram: encoded,
      };
    }),
  };
}

/**
 * @param {number | null} rate per second
 * @param {Partial<Times>} times of the stage
 * @returns {number | null} the count from which the rate was computed; null if unknown
 */
function countIn(rate, times) {
  const time = measuredTime(times);
  return rate === null || time <= 0 ? null : (rate * time) / 1000;
}

/** Returns an empty object unless all stages are ramps. @param {readonly StageSum[]} stages */
function addRampsOf(stages) {
  const ramps = stages.flatMap(({ ramp }) => (ramp === undefined ? [] : [ramp]));
  return ramps.length < stages.length ? {} : { ramp: addRamps(ramps) };
}

/** @param {readonly (string | null)[]} ends */
function worstEnd(ends) {
  if (ends.includes(null)) {
    return null;
  }
  // An end that this version does not know may be worse than all known ends.
  const badness = (/** @type {string | null} */ end) => {
    const index = STAGE_ENDS.findIndex((each) => each === end);
    return index < 0 ? Infinity : index;
  };
  const sorted = ends.toSorted((one, other) => badness(other) - badness(one) || (String(one) < String(other) ? -1 : 1));
  return sorted[0];
}

/**
 * Combines the hosts' times, from the earliest start to the latest end. Rates exclude warm-up and drain.
 *
 * @typedef {{ startedAt: number | null, endedAt: number | null, duration: number | null, warmup: number | null,
 *   drain: number | null }} Times
 *
 * @param {readonly StageSum[]} stages
 * @returns {Times}
 */
function addTimes(stages) {
  const all = stages.map(({ startedAt, endedAt, warmup, drain }) => {
    return isNumber(startedAt) && isNumber(endedAt)
      ? { startedAt, endedAt, from: startedAt + (warmup ?? 0), until: endedAt - (drain ?? 0) }
      : null;
  });
  const known = all.filter((each) => each !== null);
  if (known.length < all.length) {
    return { startedAt: null, endedAt: null, duration: null, warmup: null, drain: null };
  }
  const startedAt = Math.min(...known.map((each) => each.startedAt));
  const endedAt = Math.max(...known.map((each) => each.endedAt));
  return {
    startedAt,
    endedAt,
    duration: endedAt - startedAt,
    warmup: Math.min(...known.map(({ from }) => from)) - startedAt,
    drain: endedAt - Math.max(...known.map(({ until }) => until)),
  };
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isNumber(value) {
  return typeof value === 'number';
}

/**
 * @param {SomeCounts} counts
 * @param {Times} times
 * @returns {{ average: number | null, averageBytes: number | null, averageKeys?: number }}
 */
export function averagesOf(counts, times) {
  const rate = (/** @type {CountName} */ all, /** @type {CountName[]} */ edges) => {
    const outside = sumOf(edges.map((edge) => counts[edge]));
    return rateOf(outside === null ? null : Number(counts[all]) - outside, times);
  };
  const average = rate('operations', ['warmupOperations', 'drainOperations']);
  const { keys, operations } = counts;
  return {
    average,
    ...(average !== null && keys && operations ? { averageKeys: (average * keys) / operations } : {}),
    averageBytes: rate('bytes', ['warmupBytes', 'drainBytes']),
  };
}

/**
 * @param {number | null} count in the measured time
 * @param {Times} times
 * @returns {number | null} per second
 */
function rateOf(count, times) {
  const measured = measuredTime(times);
  return count === null || measured <= 0 ? null : (1000 * count) / measured;
}

/** Ms without warm-up and drain, over which rates are computed. @param {Partial<Times>} times */
function measuredTime({ duration, warmup, drain }) {
  return (duration ?? 0) - (warmup ?? 0) - (drain ?? 0);
}

/**
 * @param {readonly SecondResult[]} seconds
 * @param {Times} times
 * @param {number | null} average
 */
function largestSecond(seconds, { startedAt, endedAt, warmup, drain }, average) {
  if (startedAt === null || endedAt === null || average === null) {
    return null;
  }
  return peakOf(seconds, { startedAt: startedAt + (warmup ?? 0), endedAt: endedAt - (drain ?? 0), average });
}

/**
 * @param {readonly StageLatency[]} parts
 * @returns {StageLatency}
 */
function addLatencies(parts) {
  return toStageLatency((name) =>
    addHistograms(parts.map((part) => ({ summary: part[name] ?? null, encoded: part.histogram[name] ?? null }))),
  );
}

/**
 * @typedef {{ summary: LatencySummary | null, encoded: string | null }} Latencies
 *
 * @param {readonly Latencies[]} parts
 * @returns {Latencies} null fields if any part has no histogram
 */
function addHistograms(parts) {
  const sum = new Histogram();
  for (const { encoded } of parts) {
    if (encoded === null) {
      return { summary: null, encoded: null };
    }
    sum.addEncoded(encoded);
  }
  const summaries = parts.flatMap(({ summary }) => (summary === null ? [] : [summary]));
  return { summary: exact(sum.summary(), summaries), encoded: sum.encode() };
}

/**
 * Replaces figures that the histogram gives only to within 0.1% with exact ones from the summaries of the parts.
 *
 * @param {LatencySummary | null} summary of the sum
 * @param {readonly LatencySummary[]} parts
 * @returns {LatencySummary | null}
 */
function exact(summary, parts) {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  if (summary === null || count !== summary.count) {
    return summary;
  }
  const minimum = Math.min(...parts.map((part) => part.minimum));
  const maximum = Math.max(...parts.map((part) => part.maximum));
  const within = (/** @type {number} */ value) => Math.min(Math.max(value, minimum), maximum);
  // Sort first, because the rounded sum depends on the order.
  const total = parts
    .map((part) => part.mean * part.count)
    .sort((one, other) => one - other)
    .reduce((sum, each) => sum + each, 0);
  return {
    count,
    minimum,
    mean: total / count,
    p50: within(summary.p50),
    p90: within(summary.p90),
    p95: within(summary.p95),
    p99: within(summary.p99),
    p999: within(summary.p999),
    maximum,
  };
}

/**
 * @template Part
 * @param {readonly (Part | null)[]} parts
 * @returns {Part[] | null} null if any is unknown
 */
function allKnown(parts) {
  const known = parts.filter((part) => part !== null);
  return known.length === parts.length ? known : null;
}

/** Opening costs have no histograms, so they cannot be added. @param {readonly (ConnectionResult | null)[]} parts */
function addConnections(parts) {
  const known = allKnown(parts);
  return (
    known && {
      opened: known.reduce((sum, { opened }) => sum + opened, 0),
      reused: known.reduce((sum, { reused }) => sum + reused, 0),
      lookupTime: null,
      tcp: null,
      tls: null,
      ...addColos(known),
    }
  );
}

/** Returns an empty object unless all parts have colos. @param {readonly ConnectionResult[]} parts */
function addColos(parts) {
  const known = parts.flatMap(({ colos }) => (colos === undefined ? [] : [colos]));
  return known.length < parts.length ? {} : { colos: sumsByName(known) };
}

/**
 * @param {readonly (ClientLoad | null)[]} parts
 * @returns {ClientLoad | null}
 */
function addClientLoads(parts) {
  const known = allKnown(parts);
  const sum = (/** @type {Exclude<keyof ClientLoad, 'shared'>} */ name) =>
    Number(known?.reduce((total, part) => total + part[name], 0));
  return (
    known && {
      cpuUser: sum('cpuUser'),
      cpuSystem: sum('cpuSystem'),
      loops: sum('loops'),
      eventLoopUtilization: Math.max(...known.map(({ eventLoopUtilization }) => eventLoopUtilization)),
      busyLoops: sum('busyLoops'),
      ...(known.some(({ shared }) => shared) ? { shared: true } : {}),
    }
  );
}

/**
 * @param {readonly (LoadResult | null)[]} parts
 * @returns {LoadResult | null}
 */
function addLoads(parts) {
  const known = allKnown(parts);
  const mode = known && common(known.map((part) => part.mode));
  if (known === null || mode === null) {
    return null;
  }
  return { mode, rate: sumOf(known.map(({ rate }) => rate)), arrival: common(known.map(({ arrival }) => arrival)) };
}

/**
 * @param {readonly (BottleneckSum | null)[]} parts
 * @returns {BottleneckSum | null} the common cause, without the figures of single hosts; null if causes differ
 */
function commonBottleneck(parts) {
  const cause = common(parts.map((part) => part?.cause ?? null));
  if (cause === null) {
    return null;
  }
  const isLikely = parts.some((part) => part?.certainty === 'likely');
  return { cause, ...(isLikely ? { certainty: 'likely' } : {}), evidence: null, advice: null };
}

/** @param {readonly (RequestCounts | null)[]} parts */
function addRequests(parts) {
  const known = allKnown(parts);
  return (
    known && {
      preflight: sumOfKnown(known.map(({ preflight }) => preflight)),
      clock: sumOfKnown(known.map(({ clock }) => clock)),
      probe: sumOfKnown(known.map(({ probe }) => probe)),
      cleanup: sumOfKnown(known.map(({ cleanup }) => cleanup)),
    }
  );
}

/**
 * @param {readonly (CleanupResult | null)[]} parts null if there was nothing to clean up
 * @returns {CleanupResult | null}
 */
function addCleanups(parts) {
  const known = parts.filter((part) => part !== null);
  if (known.length === 0) {
    return null;
  }
  const looked = known.filter(({ uploads }) => uploads !== undefined);
  const uploadsLeft = looked.map((part) => part.uploadsLeft ?? 0);
  const ofUploads = {
    uploads: sumOfKnown(looked.map(({ uploads }) => uploads)),
    uploadsLeft: uploadsLeft.some((left) => left < 0) ? -1 : sumOfKnown(uploadsLeft),
  };
  return {
    removed: sumOfKnown(known.map(({ removed }) => removed)),
    ...(looked.length === 0 ? {} : ofUploads),
    versions: sumOfKnown(known.map(({ versions }) => versions)),
    foreign: sumOfKnown(known.map(({ foreign }) => foreign)),
    furtherProblems: sumOfKnown(known.map(({ furtherProblems }) => furtherProblems)),
    left: known.some(({ left }) => left < 0) ? -1 : known.reduce((sum, { left }) => sum + left, 0),
    otherBuckets: common(known.map(({ otherBuckets = null }) => otherBuckets)),
    problems: known.flatMap(({ problems = [] }) => problems),
  };
}

/** @param {readonly (number | undefined)[]} values undefined if an earlier version did not count them */
function sumOfKnown(values) {
  return values.filter((value) => value !== undefined).reduce((sum, value) => sum + value, 0);
}
