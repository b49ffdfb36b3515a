import { adviceFor } from '../bottleneck/lack.js';
import { PeakSearch } from '../search/peak-search.js';
import { STAGE_MS } from '../search/search-plan.js';
import { noteFatalError } from './run-stages.js';
import { searchResult, stepResult } from './search-result.js';
import { runStep } from './search-step.js';

/**
 * @import { Cores } from '../engine/cores.js'
 * @import { RunResult } from '../model/result.js'
 * @import { Stage } from '../operations/operation.js'
 * @import { RunConfig } from './run-config.js'
 * @import { Running } from './run-stages.js'
 * @import { SearchMoney } from './search-money.js'
 * @import { SearchObjects } from './search-objects.js'
 * @import { FinishedStep } from './search-step.js'
 * @import { SearchConclusion } from '../search/peak-search.js'
 */

/** The latency that is assumed where the probe could not measure it. ms */
const USUAL_LATENCY_MS = 50;

/** Objects that are smaller have no half. Bytes. */
const SMALLEST_HALVED = 2;

/**
 * Searches for the peak of one stage.
 *
 * @param {Stage} stage
 * @param {object} parts
 * @param {Running} parts.running
 * @param {Cores} parts.cores
 * @param {SearchObjects} parts.objects
 * @param {SearchMoney} parts.money
 * @param {readonly string[]} parts.names of the stages that are still to run, in lower case, this one first
 * @param {RunResult} parts.result
 * @returns {Promise<boolean>} whether the run goes on
 */
export async function searchStage(stage, { running, cores, objects, money, names, result }) {
  const { config, run, signal, observer } = running;
  const { clock } = run;
  const { name } = stage;
  const count = objects.countFor(stage);
  const given = objects.count;
  const mostAttempts = money.attemptsFor(names);
  const unloaded = running.unloaded.get(name.toLowerCase()) ?? null;
  const search = new PeakSearch({
    mostThreads: config.threads,
    unloadedLatency: unloaded?.p50 ?? USUAL_LATENCY_MS,
    mostOperations: count,
    mostAttempts,
    sharesOperations: stage.removes,
    secondSize: secondSizeOf(stage, config, objects),
  });
  observer.stageStarts({
    stage: name,
    objects: given,
    threads: config.threads,
    buckets: config.store.buckets.length,
    objectSize: stage.isWrite || stage.isRead ? config.size : 0,
    duration: STAGE_MS,
    isSearch: true,
  });
  const finished = await runSteps(search, stage, { running, cores, objects, money });
  const last = finished.at(-1)?.outcome;
  if (last === undefined) {
    if (!signal.aborted) {
      result.problems.push(`${name}: ${whyNotBegun(stage, count, mostAttempts)}`);
      // Nothing was wrong with the command where the stages before it have a result.
      result.mayPass = result.stages.length > 0;
    }
    return false;
  }
  const conclusion = search.conclusion();
  const stageResult = searchResult({
    stage,
    finished,
    conclusion,
    dollarsNeeded: dollarsNeeded(conclusion, finished, money, names),
    mostThreads: config.threads,
    clock,
    objects: given,
    unloaded,
    availableCores: config.availableCores,
    storeClock: running.runClock.facts(),
  });
  result.stages.push(stageResult);
  observer.stageEnds(stageResult);
  noteFatalError(last.fatal, running, stage, result);
  return last.end === 'complete';
}

/**
 * @param {Stage} stage
 * @param {number} objects that it has
 * @param {number} attempts that it may make
 */
function whyNotBegun({ removes }, objects, attempts) {
  if (objects === 0) {
    return 'Write has left no objects for it';
  }
  const ofObjects = removes ? 'leftovers' : 'objects';
  const advice = adviceFor(attempts < objects ? 'dollars' : ofObjects);
  const operations = Math.floor(Math.min(attempts, objects));
  return `${operations} operations are too few to search for the peak, expected ${advice}`;
}

/**
 * @param {SearchConclusion} conclusion
 * @param {readonly FinishedStep[]} finished
 * @param {SearchMoney} money
 * @param {readonly string[]} names of the stages, this one first
 */
function dollarsNeeded({ lack, needed }, finished, money, names) {
  if (lack !== 'dollars' || needed === null) {
    return null;
  }
  const made = finished.reduce((sum, { outcome }) => sum + outcome.meter.counts().attempts, 0);
  return money.limitFor(names, needed.attempts, made);
}

/**
 * @param {PeakSearch} search
 * @param {Stage} stage
 * @param {object} parts
 * @param {Running} parts.running
 * @param {Cores} parts.cores
 * @param {SearchObjects} parts.objects
 * @param {SearchMoney} parts.money
 * @returns {Promise<FinishedStep[]>}
 */
async function runSteps(search, stage, { running, cores, objects, money }) {
  const { config, run, signal, observer } = running;
  const { name } = stage;
  const finished = [];
  let done = 0;
  let moved = 0;
  for (let step = search.next(); step !== null && !signal.aborted; step = search.next()) {
    const isHalfSize = step.phase === 'second size';
    const movedBefore = moved;
    const result = await runStep(step, {
      cores,
      stage: name,
      objectSize: isHalfSize ? Math.floor(config.size / 2) : config.size,
      range: objects.rangeFor(stage, isHalfSize, step.operations),
      clock: run.clock,
      signal,
      hooks: {
        retrying: observer.retrying.bind(observer),
        integrityError: (message) => observer.integrityError(name, message),
        failed: (operation, message) => observer.failed(name, operation, message),
        progress(count, flow) {
          moved = movedBefore + flow.moved;
          observer.progress(done + count, { ...flow, moved });
        },
      },
    });
    const { outcome, claimed, begun, elapsed, windows } = result;
    const { attempts } = outcome.meter.counts();
    objects.use(stage, isHalfSize, claimed);
    money.spend(name.toLowerCase(), attempts);
    done += begun;
    finished.push(result);
    observer.stepEnds(name, stepResult(result, run.clock));
    if (outcome.end !== 'complete') {
      break;
    }
    const latency = outcome.meter.latencies().operations.summary();
    search.take({ elapsed, consumed: begun, attempts, windows, latency });
  }
  return finished;
}

/**
 * Objects of half the size show whether bandwidth is the limit; Read finds them only where Write has left them.
 *
 * @param {Stage} stage
 * @param {RunConfig} config
 * @param {SearchObjects} objects
 * @returns {'never' | 'on a plateau' | 'always'}
 */
function secondSizeOf({ isWrite, isRead }, { size, stages }, objects) {
  if (isWrite && size >= SMALLEST_HALVED) {
    return stages.includes('read') ? 'always' : 'on a plateau';
  }
  return isRead && objects.hasHalves ? 'on a plateau' : 'never';
}
