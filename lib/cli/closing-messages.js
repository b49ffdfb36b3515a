import { isClean, shortcomingsOf, stalledStep } from '../result/completeness.js';
import { cleanupProblems, describeCleanup, mayHelpAgain } from './cleanup.js';
import { operationsOfRun } from '../load/operations/registry.js';
import { EXIT } from './exit-status.js';
import { cleanupCommand, readAgainCommand } from './later-commands.js';

/**
 * @import { Later } from './later-commands.js'
 * @import { StopRequest } from './stop-request.js'
 * @import { CleanupResult, RunResult, StageResult } from '../result/result.js'
 * @import { Config } from '../result/config.js'
 */

/**
 * @param {RunResult} result
 * @param {StopRequest} stopRequest
 * @returns {number} the exit status
 */
export function exitStatus({ problems, isTransient, stages, cleanup, crash }, { status }) {
  if (status !== null) {
    return status;
  }
  if (problems.length > 0) {
    return isTransient ? EXIT.incomplete : EXIT.usage;
  }
  const isIncomplete = stages.some((stage) => shortcomingsOf(stage).length > 0);
  return isIncomplete || crash !== null || (cleanup !== null && !isClean(cleanup)) ? EXIT.incomplete : EXIT.complete;
}

/**
 * @param {RunResult} result
 * @param {Config} config
 * @param {Later} later
 */
export function closingMessages({ problems, existing, kept, cleanup, stages }, config, later) {
  const stalled = stages.flatMap((stage) => stalledStep(stage).map((phrase) => `${stage.stage}: ${phrase}`));
  const errors = [...problems, ...stalled].map((problem) => `error: ${problem}`);
  if (existing !== null) {
    errors.push(
      ...(existing.readable === null ? [] : [`Read them with: ${readAgainCommand(config, existing.readable, later)}`]),
    );
    errors.push(`Remove them with: ${cleanupCommand(config, later)}`);
  }
  if (cleanup !== null && !isClean(cleanup)) {
    errors.push(...cleanupProblems(cleanup).map((problem) => `error: clean-up: ${problem}`));
    const isFutile = config.store.isEmbedded || !mayHelpAgain(cleanup);
    const again = isFutile ? '' : `; try again with: ${cleanupCommand(config, later)}`;
    errors.push(`error: ${describeCleanup(cleanup, config)}${again}`);
  }
  const notices = stages.flatMap((stage) => outOfObjects(stage, config));
  if (cleanup !== null && isClean(cleanup) && !hasOnlyLooked(cleanup)) {
    notices.push(describeCleanup(cleanup, config));
  }
  // An embedded endpoint keeps its objects in memory, so they are gone by now.
  const { objects, store } = config;
  if (objects.keep && stages.length > 0 && !store.isEmbedded) {
    if (kept > 0) {
      notices.push(`Read the objects again with: ${readAgainCommand(config, { ...objects, count: kept }, later)}`);
    }
    notices.push(`The objects were kept; remove them with: ${cleanupCommand(config, later)}`);
  }
  return { notices, errors };
}

/** @param {CleanupResult} cleanup */
function hasOnlyLooked({ removed, versions, uploads = 0 }) {
  return removed + versions + uploads === 0;
}

/**
 * @param {StageResult} result
 * @param {Config} config
 * @returns {string[]} advice on how many objects the stage needs; empty if it did not run out, or if the run's reads
 *   can reuse the objects
 */
function outOfObjects({ stage, duration, objects, objectsNeeded }, { load, schedule }) {
  const cycles = operationsOfRun(load).some(({ effect }) => effect === 'reads');
  if (objectsNeeded === null || (cycles && !schedule.sharesSlots)) {
    return [];
  }
  const [after, of] = [duration, schedule.duration ?? 0].map((milliseconds) => `${(milliseconds / 1000).toFixed(1)}s`);
  return [
    `${stage} ran out of objects after ${after} of ${of}: to fill that --duration, pass about ${objectsNeeded} <objects> instead of ${objects}`,
  ];
}
