import { adviceFor } from '../bottleneck/message.js';
import { operationsOf, stagesOf } from '../operations/registry.js';
import { bytesAnOperation } from '../operations/stage.js';
import { CostBudget } from '../cost/cost-budget.js';
import { finalListsOf } from '../cost/prices.js';
import { SECONDS_OF_OPERATIONS, STAGE_MS, operationsOfSearch, minOperations } from '../search/search-plan.js';
import { runStep } from '../search/search-step.js';
import { noteFatalError } from './run-plan.js';
import { typicalSize } from '../workload/size-distribution.js';
import { dimensionOf } from './search-dimensions.js';

/**
 * @import { Stage } from '../operations/stage.js'
 * @import { BucketObjects } from '../search/bucket-objects.js'
 * @import { SearchObjects } from '../search/search-objects.js'
 * @import { FinishedStep } from '../search/search-step.js'
 * @import { Config, SearchConfig } from '../model/config.js'
 * @import { BegunSession } from './session.js'
 * @import { Dimension, Shortage, StageSearch } from './search-dimensions.js'
 */

/** The latency that is assumed where the probe could not measure it. ms */
const USUAL_LATENCY_MS = 50;

/** Objects that are smaller have no half. Bytes. */
const MIN_HALVED_BYTES = 2;

/**
 * Searches for the capacity of each stage: see CapacitySearch, BucketSearch and RateSearch.
 *
 * @param {BegunSession} session whose result the stages are added to
 * @param {SearchConfig} search
 */
export async function findCapacities(session, search) {
  const { config, run, signal, observer, result } = session;
  // The latency of small objects does not show how many large ones a search needs.
  const typical = typicalSize(config.objects);
  const unloaded = new Map([...session.unloaded].filter(([, { size }]) => size >= typical));
  const stages = stagesOf(config.load);
  const problem = signal.aborted ? null : tooFewObjects(config, stages[0], unloaded);
  if (problem !== null) {
    result.problems.push(problem);
    return;
  }
  const dimension = dimensionOf(config, search);
  const objects = dimension.objects();
  const costs = new CostBudget(search.maxCost ?? Infinity, run.requests, finalListsOf(config));
  if (search.peakOf === 'threads') {
    worstCases(config, search, unloaded, costs.attemptsFor(stages.map(nameOf))).forEach((notice) =>
      observer.notice(notice),
    );
  }
  const all = stages.map(nameOf);
  for (const [place, stage] of stages.entries()) {
    if (signal.aborted) {
      return;
    }
    const names = { toRun: all.slice(place), before: all.slice(0, place) };
    const finished = await searchStage(stage, { session, dimension, objects, costs, names });
    objects.stageEnds(stage, (object) => run.written.has(object));
    if (stage.creates && config.objects.keep) {
      result.kept = objects.wholeCount;
    }
    if (!finished) {
      return;
    }
  }
}

/**
 * @param {Config} config
 * @param {Stage} stage the first one
 * @param {BegunSession['unloaded']} unloaded
 * @returns {string | null}
 */
function tooFewObjects({ objects: { count: objects }, load: { threads } }, stage, unloaded) {
  const latency = unloaded.get(nameOf(stage))?.p50;
  if (latency === undefined || !(stage.creates || stage.removes)) {
    return null;
  }
  const needed = minOperations(latency);
  return objects >= needed
    ? null
    : `<objects>: ${objects} are too few for --find-peak, expected ${operationsOfSearch((1000 * threads) / latency, threads)}, which are enough for ${threads} threads: one alone needs ${needed}, at ${latency.toFixed(1)}ms a ${nameOf(stage)}`;
}

/**
 * Warns before a search that may run out of objects or dollars, because the store never becomes slower.
 *
 * @param {Config} config
 * @param {SearchConfig} search
 * @param {BegunSession['unloaded']} unloaded
 * @param {number} attempts that the first stage may make
 * @returns {string[]} notices
 */
function worstCases({ objects: { count: objects }, load: { threads, stages } }, { maxCost }, unloaded, attempts) {
  const [write] = operationsOf(stages).filter(({ creates }) => creates);
  const latency = write && unloaded.get(write.name)?.p50;
  if (latency === undefined) {
    return [];
  }
  const most = operationsOfSearch((1000 * threads) / latency, threads);
  const writes = Math.min(objects, attempts);
  const capacity = Math.floor(writes / SECONDS_OF_OPERATIONS);
  if (writes >= most || capacity === 0) {
    return [];
  }
  const [given, more] =
    attempts < objects
      ? [`$${maxCost} leaves Write ${Math.floor(attempts)} operations,`, 'more dollars']
      : [`${objects} objects are`, `${SECONDS_OF_OPERATIONS} for each write a second`];
  return [
    `--find-peak: ${given} enough for a capacity of about ${capacity} writes/s; if you expect more, give ${more}`,
  ];
}

/** @param {Stage} stage */
function nameOf({ name }) {
  return name.toLowerCase();
}

/**
 * Searches for the capacity of one stage.
 *
 * @param {Stage} stage
 * @param {object} parts
 * @param {BegunSession} parts.session
 * @param {Dimension} parts.dimension
 * @param {SearchObjects | BucketObjects} parts.objects
 * @param {CostBudget} parts.costs
 * @param {{ toRun: readonly string[], before: readonly string[] }} parts.names of the stages, in lower case, this one the
 *   first to run
 * @returns {Promise<boolean>} whether the run goes on
 */
async function searchStage(stage, { session, dimension, objects, costs, names }) {
  const { config, run, signal, observer, result } = session;
  const { clock } = run;
  const { name } = stage;
  const count = objects.countFor(stage);
  const given = objects.count;
  const maxAttempts = costs.attemptsFor(names.toRun);
  const unloaded = session.unloaded.get(name.toLowerCase()) ?? null;
  const context = { clock, objects: given, unloaded, storeClock: session.runClock.facts() };
  const limits = {
    maxThreads: config.load.threads,
    unloadedLatency: unloaded?.p50 ?? USUAL_LATENCY_MS,
    maxOperations: count,
    maxAttempts,
    sharesOperations: stage.copies || stage.removes,
    halfSize: halfSizeProbeOf(stage, config, objects),
    available: (/** @type {number} */ buckets) => objects.countIn(stage, buckets),
  };
  const search = dimension.search(stage, limits, context);
  observer.stageStarts({
    stage: name,
    objects: given,
    threads: config.load.threads,
    buckets: config.store.buckets.length,
    bytesPerOperation: bytesAnOperation(stage, config),
    duration: STAGE_MS,
    isSearch: true,
    dimension: config.search?.peakOf,
  });
  const finished = await runSteps(search, stage, { session, dimension, objects, costs });
  const last = finished.at(-1)?.outcome;
  if (last === undefined) {
    if (!signal.aborted) {
      result.problems.push(`${name}: ${whyNotBegun(stage, count, maxAttempts)}`);
      // Nothing was wrong with the command where the stages before it have a result.
      result.mayPass = result.stages.length > 0;
    }
    return false;
  }
  const stageResult = search.result(finished, {
    stage,
    dollarsNeeded: dollarsNeeded(search.conclusion(), finished, costs, names),
    maxThreads: config.load.threads,
    availableCores: config.load.availableCores,
    ...context,
    storeClock: session.runClock.facts(),
  });
  result.stages.push(stageResult);
  observer.stageEnds(stageResult);
  noteFatalError(last.fatal, session);
  return last.end === 'complete';
}

/**
 * @param {Stage} stage
 * @param {number} objects that it has
 * @param {number} attempts that it may make
 */
function whyNotBegun({ copies, removes }, objects, attempts) {
  if (objects === 0) {
    return 'Write has left no objects for it';
  }
  const ofObjects = copies || removes ? 'leftovers' : 'objects';
  const advice = adviceFor(attempts < objects ? 'dollars' : ofObjects);
  const operations = Math.floor(Math.min(attempts, objects));
  return `${operations} operations are too few for a capacity search, expected ${advice}`;
}

/**
 * @param {Shortage} conclusion
 * @param {readonly FinishedStep[]} finished
 * @param {CostBudget} costs
 * @param {{ toRun: readonly string[], before: readonly string[] }} names of the stages, this one the first to run
 */
function dollarsNeeded({ limitingResource, needed }, finished, costs, { toRun, before }) {
  if (limitingResource !== 'dollars' || needed === null) {
    return null;
  }
  const made = finished.reduce((sum, { outcome }) => sum + outcome.meter.counts().attempts, 0);
  // Those before it get an equal part of what is added, and may take it, too.
  return costs.limitFor([...toRun, ...before], needed.attempts, made);
}

/**
 * @param {StageSearch} search
 * @param {Stage} stage
 * @param {object} parts
 * @param {BegunSession} parts.session
 * @param {Dimension} parts.dimension
 * @param {SearchObjects | BucketObjects} parts.objects
 * @param {CostBudget} parts.costs
 * @returns {Promise<FinishedStep[]>}
 */
async function runSteps(search, stage, { session, dimension, objects, costs }) {
  const { config, run, signal, observer } = session;
  const { name } = stage;
  const finished = [];
  let done = 0;
  let moved = 0;
  for (let step = search.next(); step !== null && !signal.aborted; step = search.next()) {
    const isHalfSize = step.phase === 'half size';
    const movedBefore = moved;
    const result = await runStep(step, {
      stage,
      size: isHalfSize ? Math.floor(config.objects.size / 2) : config.objects.size,
      sizes: config.objects.sizes,
      access: config.load.access,
      range: objects.rangeFor(stage, isHalfSize, step.operations, step.buckets),
      pacing: dimension.pacing(step),
      clock: run.clock,
      session,
      progress(count, flow) {
        moved = movedBefore + flow.moved;
        observer.progress(done + count, { ...flow, moved });
      },
    });
    const { outcome, claimed, begun } = result;
    const { attempts } = outcome.meter.counts();
    objects.use(stage, isHalfSize, claimed, step.buckets);
    costs.spend(name.toLowerCase(), attempts);
    done += begun;
    finished.push(result);
    observer.stepEnds(name, search.stepResult(result));
    if (outcome.end !== 'complete') {
      break;
    }
    search.take(result);
  }
  return finished;
}

/**
 * Objects of half the size show whether bandwidth is the limit; Read finds them only where Write has left them.
 *
 * @param {Stage} stage
 * @param {Config} config
 * @param {SearchObjects | BucketObjects} objects
 * @returns {'never' | 'on a plateau' | 'always'}
 */
function halfSizeProbeOf({ creates, receives, movesWhole }, { objects: { size }, load: { stages } }, objects) {
  if (creates && size >= MIN_HALVED_BYTES) {
    return operationsOf(stages).some((operation) => operation.receives && operation.movesWhole)
      ? 'always'
      : 'on a plateau';
  }
  return receives && movesWhole && objects.hasHalves ? 'on a plateau' : 'never';
}
