import { addRequests, pagesFor, pagesLeft, proofListsOf, requestsFor } from './prices.js';
import { multipartAsFor } from '../load/operations/multipart.js';
import { operationsOfRun, rateOf, stagesOf, writesObjects } from '../load/operations/registry.js';
import { operationsFor } from '../load/operations/stage.js';
import { MAX_LATENCY_PROBES } from './preflight/probe-workload.js';
import { MIN_BUDGET_MS, MIN_ROUNDS, ROUND_TRIPS } from './preflight/unloaded-latency.js';
import { STAGE_MS } from './search/capacity-search.js';
import { RATE_SEARCH_MS } from './search/rate-search.js';
import { sumOf } from '../measure/statistics/moments.js';
import { averageSize, typicalSize } from '../load/workload/size-distribution.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { Stage } from '../load/operations/stage.js'
 * @import { Requests } from './prices.js'
 *
 * @typedef {object} Row what a stage does if no request is retried
 * @property {string} name
 * @property {number} operations
 * @property {Requests} requests
 * @property {number} bytes that move; NaN if the sizes are unknown
 * @property {number} time ms, at least
 *
 * @typedef {object} Forecast of one or several runs
 * @property {readonly Row[]} rows one per stage, and one for what happens before and after the stages
 * @property {boolean} isBound whether the numbers are upper bounds, because time ends the stages
 * @property {number} stored bytes of the objects
 */

/** To create an upload, send its part, and complete it. */
const REQUESTS_OF_ONE_PART = 3;

/** Requests that measure the store's clock, unless the host is busy: its second turns within 50 intervals. */
const CLOCK_REQUESTS = 60;

/** By how many standard deviations random arrivals may exceed their mean. */
const DEVIATIONS = 6;

/**
 * What runs will do, without a request to the store.
 *
 * @param {readonly [Config, ...Config[]]} configs of one run, or of all runs of a series
 * @param {number} latency ms that each request takes at least
 * @returns {Forecast}
 */
export function forecastOf(configs, latency) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const config of configs) {
    const ofStages = stagesOf(config.load).map((stage) => rowOf(stage, config, latency));
    for (const row of [...ofStages, rowAround(config, latency)]) {
      rows.set(row.name, addRows(rows.get(row.name), row));
    }
  }
  return {
    rows: [...rows.values()],
    isBound: configs.some((config) => windowsOf(config) !== null),
    stored: Math.max(...configs.map(storedBytes)),
  };
}

/** @param {readonly Row[]} rows */
export function totalOf(rows) {
  return rows.reduce((sum, row) => addRows(sum, row));
}

/**
 * @param {Row | undefined} sum
 * @param {Row} row
 * @returns {Row}
 */
function addRows(sum, row) {
  if (sum === undefined) {
    return row;
  }
  return {
    name: sum.name,
    operations: sum.operations + row.operations,
    requests: addRequests(sum.requests, row.requests),
    bytes: sum.bytes + row.bytes,
    time: sum.time + row.time,
  };
}

/**
 * The periods in which a stage sends requests until time is over.
 *
 * @param {Config} config
 * @returns {{ threads: number, time: number }[] | null} `time` in ms; null if a stage uses each object once
 */
function windowsOf({ search, load: { threads }, schedule: { ramp, duration } }) {
  if (ramp !== undefined) {
    return ramp.threads.map((each) => ({ threads: each, time: ramp.stepTime }));
  }
  if (search !== null) {
    return [{ threads, time: search.peakOf === 'rate' ? RATE_SEARCH_MS : STAGE_MS }];
  }
  return duration === undefined ? null : [{ threads, time: duration }];
}

/**
 * @param {Stage} stage
 * @param {Config} config
 * @param {number} latency
 * @returns {Row}
 */
function rowOf(stage, config, latency) {
  const { objects, load } = config;
  const { threads, amounts } = load;
  const rate = rateOf(stage, load);
  const windows = windowsOf(config);
  const once = operationsFor(stage, objects.count, config);
  const operations = windows === null || stage.removes ? once : mostIn(windows, stage, once, config, latency);
  const total = sumOf(stage.kinds.map(({ weight }) => weight));
  const mean = objects.existing === undefined ? averageSize(objects) : NaN;
  let requests = { A: 0, B: 0, free: 0 };
  let bytes = 0;
  for (const { operation, weight } of stage.kinds) {
    // A stage that ends in the middle of a deck can have done more of one kind than its share.
    const share = Math.ceil((operations * weight) / total) + (windows !== null && weight < total ? weight : 0);
    requests = addRequests(requests, requestsFor(operation, share, config));
    bytes += operation.movesBytes ? share * operation.bytesOf({ sizeOf: () => mean, amounts }, 0) : 0;
  }
  const closed = Math.ceil(operations / threads) * latency;
  const time = Math.max(closed, rate === undefined ? 0 : (1000 * operations) / rate);
  const limit = windows === null || stage.removes ? Infinity : sumOf(windows.map((each) => each.time));
  return { name: stage.name, operations, requests, bytes, time: Math.min(time, limit) };
}

/**
 * @param {{ threads: number, time: number }[]} windows
 * @param {Stage} stage
 * @param {number} once operations on each object once
 * @param {Config} config
 * @param {number} latency
 * @returns {number} the most operations that the stage can start
 */
function mostIn(windows, stage, once, { load, schedule }, latency) {
  const { creates, copies } = stage;
  const rate = rateOf(stage, load) ?? Infinity;
  const most = windows.map(({ threads, time }) => {
    const due = (rate * time) / 1000;
    const byChance = load.arrival === 'poisson' ? DEVIATIONS * Math.sqrt(due) : 0;
    return Math.min(threads * (Math.floor(time / latency) + 1), Math.ceil(due + byChance) + 1);
  });
  return Math.min(sumOf(most), creates || copies ? once : Infinity, schedule.maxOperations ?? Infinity);
}

/**
 * Preflight, the latency with one thread, the store's clock, the run's marker, and the lists of clean-up.
 *
 * @param {Config} config
 * @param {number} latency
 * @returns {Row}
 */
function rowAround(config, latency) {
  const { store, load, objects, schedule } = config;
  const [buckets, isOwn] = [store.buckets.length, writesObjects(load.stages)];
  const reads = operationsOfRun(load).filter(({ effect, billingClass }) => effect === 'reads' && billingClass === 'B');
  const kinds = reads.length + (isOwn ? 2 : 0);
  const budget = Math.max(MIN_BUDGET_MS, ROUND_TRIPS * latency);
  const fitting = Math.floor(budget / Math.max(kinds * latency, 1));
  const probes = schedule.preflight ? buckets + Math.min(Math.max(fitting, MIN_ROUNDS), MAX_LATENCY_PROBES) : 0;
  // A probe has the parts of a small object.
  const isInParts = multipartAsFor(typicalSize(objects), load.multipart) !== undefined;
  const A =
    (isOwn ? probes * (isInParts ? REQUESTS_OF_ONE_PART : 1) : 0) +
    proofListsOf(config) +
    // Uploads are listed by prefix, and an empty list once more without it.
    (load.multipart === undefined ? 0 : 2 * buckets) +
    (objects.existing === undefined ? 0 : pagesFor(objects.count));
  const B = reads.length * probes + (schedule.preflight ? buckets : 0);
  const isChecked = isOwn && !store.isEmbedded;
  const requests = {
    // Looking for versioning and for objects of this run, and its marker, which is created twice.
    A: A + (isChecked ? 2 * buckets + 2 : 0),
    B: B + (store.isEmbedded ? 0 : 1 + CLOCK_REQUESTS),
    // Clean-up removes in batches what no stage removes.
    free: isOwn ? probes + 1 + buckets + pagesLeft(config) : 0,
  };
  const time = schedule.preflight ? budget : 0;
  return { name: 'Before and after', operations: 0, requests, bytes: 0, time };
}

/** @param {Config} config */
function storedBytes({ objects, load }) {
  const written = writesObjects(load.stages) ? objects.count : 0;
  const copies = operationsOfRun(load).some((operation) => operation.copies) ? 2 : 1;
  return written * copies * averageSize(objects);
}
