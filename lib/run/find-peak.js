import { STAGE_MS, fewestOperations, mostOperations } from '../search/search-plan.js';
import { stagesOf } from './run-stages.js';
import { SearchMoney } from './search-money.js';
import { SearchObjects } from './search-objects.js';
import { searchStage } from './search-stage.js';

/**
 * @import { Cores } from '../engine/cores.js'
 * @import { RunResult } from '../model/result.js'
 * @import { Stage } from '../operations/operation.js'
 * @import { RunConfig } from './run-config.js'
 * @import { Running } from './run-stages.js'
 */

/**
 * Searches for the peak of each stage: see PeakSearch.
 *
 * @param {Running} running
 * @param {Cores} cores
 * @param {RunResult} result that the stages are added to
 */
export async function findPeaks(running, cores, result) {
  const { config, run, signal, observer } = running;
  // What small objects take says nothing of how many large ones a search needs.
  const unloaded = new Map([...running.unloaded].filter(([, { size }]) => size >= config.size));
  const stages = stagesOf(config);
  const problem = signal.aborted ? null : tooFewObjects(config, stages[0], unloaded);
  if (problem !== null) {
    result.problems.push(problem);
    return;
  }
  const objects = new SearchObjects(config.objects);
  const money = new SearchMoney(config.maxCost ?? Infinity, run.requests);
  worstCases(config, unloaded, money.attemptsFor(stages.map(nameOf))).forEach((notice) => observer.notice(notice));
  for (const [place, stage] of stages.entries()) {
    if (signal.aborted) {
      return;
    }
    const names = stages.slice(place).map(nameOf);
    const finished = await searchStage(stage, { running, cores, objects, money, names, result });
    objects.stageEnds(stage, (object) => run.written.has(object));
    if (stage.isWrite && config.keep) {
      result.kept = objects.wholeCount;
    }
    if (!finished) {
      return;
    }
  }
}

/**
 * @param {RunConfig} config
 * @param {Stage} stage the first one
 * @param {Running['unloaded']} unloaded
 * @returns {string | null}
 */
function tooFewObjects({ objects }, stage, unloaded) {
  const latency = unloaded.get(nameOf(stage))?.p50;
  if (latency === undefined || !(stage.isWrite || stage.removes)) {
    return null;
  }
  const needed = fewestOperations(latency);
  return objects >= needed
    ? null
    : `<objects>: ${objects} are too few for --find-peak, expected at least ${needed}: one thread alone needs that many, at ${latency.toFixed(1)}ms a ${nameOf(stage)}`;
}

/**
 * What the search could take: a store that never becomes slower is told beforehand.
 *
 * @param {RunConfig} config
 * @param {Running['unloaded']} unloaded
 * @param {number} attempts that the first stage may make
 * @returns {string[]} notices
 */
function worstCases({ objects, threads, stages, maxCost }, unloaded, attempts) {
  const latency = unloaded.get('write')?.p50;
  if (latency === undefined || !stages.includes('write')) {
    return [];
  }
  const most = mostOperations(threads, latency);
  const writes = Math.min(objects, attempts);
  const ceiling = Math.floor((1000 * writes) / STAGE_MS);
  if (writes >= most || ceiling === 0) {
    return [];
  }
  const [given, more] =
    attempts < objects
      ? [`$${maxCost} leaves Write ${Math.floor(attempts)} operations,`, 'more dollars']
      : [`${objects} objects are`, `${STAGE_MS / 1000} for each write a second`];
  return [`--find-peak: ${given} enough for a ceiling of about ${ceiling} writes/s; if you expect more, give ${more}`];
}

/** @param {Stage} stage */
function nameOf({ name }) {
  return name.toLowerCase();
}
