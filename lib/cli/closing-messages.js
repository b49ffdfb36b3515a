import { isClean, shortcomingsOf } from '../model/completeness.js';
import { cleanupCommand, cleanupProblems, describeCleanup, mayHelpAgain, readAgainCommand } from './cleanup.js';
import { EXIT } from './exit-status.js';

/**
 * @import { StopRequest } from './stop-request.js'
 * @import { CleanupResult, RunResult, StageResult } from '../model/result.js'
 * @import { RunConfig } from '../model/run-config.js'
 */

/**
 * @param {RunResult} result
 * @param {StopRequest} stopRequest
 * @returns {number} the exit status
 */
export function exitStatus({ problems, mayPass, stages, cleanup, crash }, { status }) {
  if (status !== null) {
    return status;
  }
  if (problems.length > 0) {
    return mayPass ? EXIT.incomplete : EXIT.usage;
  }
  const isIncomplete = stages.some((stage) => shortcomingsOf(stage).length > 0);
  return isIncomplete || crash !== null || (cleanup !== null && !isClean(cleanup)) ? EXIT.incomplete : EXIT.complete;
}

/**
 * The messages on stderr when a run is over.
 *
 * @param {RunResult} result
 * @param {RunConfig} config
 * @returns {{ notices: string[], errors: string[] }}
 */
export function closingMessages({ problems, existing, kept, cleanup, stages }, config) {
  const errors = problems.map((problem) => `error: ${problem}`);
  if (existing !== null) {
    errors.push(
      ...(existing.readable === null ? [] : [`Read them with: ${readAgainCommand(config, existing.readable)}`]),
    );
    errors.push(`Remove them with: ${cleanupCommand(config)}`);
  }
  if (cleanup !== null && !isClean(cleanup)) {
    errors.push(...cleanupProblems(cleanup, config).map((problem) => `error: clean-up: ${problem}`));
    const isInVain = config.store.isEmbedded || !mayHelpAgain(cleanup);
    const again = isInVain ? '' : `; try again with: ${cleanupCommand(config)}`;
    errors.push(`error: ${describeCleanup(cleanup, config)}${again}`);
  }
  const notices = stages.flatMap((stage) => outOfObjects(stage, config));
  if (cleanup !== null && isClean(cleanup) && !hasOnlyLooked(cleanup)) {
    notices.push(describeCleanup(cleanup, config));
  }
  // What was kept in memory has gone with the endpoint.
  if (config.keep && stages.length > 0 && !config.store.isEmbedded) {
    if (kept > 0) {
      notices.push(`Read the objects again with: ${readAgainCommand(config, { ...config, objects: kept })}`);
    }
    notices.push(`The objects were kept; remove them with: ${cleanupCommand(config)}`);
  }
  return { notices, errors };
}

/** @param {CleanupResult} cleanup */
function hasOnlyLooked({ removed, versions, uploads = 0 }) {
  return removed + versions + uploads === 0;
}

/**
 * @param {StageResult} result
 * @param {RunConfig} config
 * @returns {string[]}
 */
function outOfObjects({ stage, duration, objects, objectsNeeded }, config) {
  if (objectsNeeded === null) {
    return [];
  }
  const [after, of] = [duration, config.duration ?? 0].map((milliseconds) => `${(milliseconds / 1000).toFixed(1)}s`);
  return [
    `${stage} had no objects left after ${after} of ${of}: for a --duration of that length, pass about ${objectsNeeded} <objects> instead of ${objects}`,
  ];
}
