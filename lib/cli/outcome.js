import { resultOf } from '../model/result-of-run.js';
import { exitStatus } from './closing-messages.js';
import { EXIT } from './exit-status.js';
import { judge, statusWith, thresholdLines } from './guard.js';

/**
 * @import { Result, RunResult } from '../model/result.js'
 * @import { Guard } from './guard.js'
 * @import { StopRequest } from './stop-request.js'
 *
 * @typedef {object} Outcome
 * @property {Result} result including threshold results
 * @property {number} status the exit status, assuming that the result can be written
 * @property {readonly Message[]} messages for stderr, in order
 *
 * @typedef {{ line: string, isNotice: boolean }} Message --quiet suppresses notices
 */

/**
 * @param {RunResult} run
 * @param {{ guard: Guard, stopRequest: StopRequest, hasLost: boolean }} context `hasLost`: whether part of the log
 *   could not be written
 * @returns {Outcome}
 */
export function outcomeOf(run, { guard, stopRequest, hasLost }) {
  const measured = resultOf({ ...run, crash: run.crash ?? stopRequest.defect });
  const judged = judge(guard, measured);
  const lines = thresholdLines(judged.thresholds);
  const ended = exitStatus(run, stopRequest);
  return {
    result: { ...measured, thresholds: judged.thresholds },
    status: statusWith(ended === EXIT.complete && hasLost ? EXIT.incomplete : ended, judged.thresholds),
    messages: [
      ...errors([...guard.warnings, ...judged.warnings].map((warning) => `warning: ${warning}`)),
      ...notices(lines.notices),
      ...errors(lines.errors),
    ],
  };
}

/** @param {readonly string[]} lines */
function notices(lines) {
  return lines.map((line) => ({ line, isNotice: true }));
}

/** @param {readonly string[]} lines */
function errors(lines) {
  return lines.map((line) => ({ line, isNotice: false }));
}
