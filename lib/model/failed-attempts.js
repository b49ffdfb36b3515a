/**
 * @import { StageCounts } from './result.js'
 *
 * @typedef {Pick<StageCounts, 'attempts' | 'operations' | 'errors'> & { failedAttempts?: number | null, steps?: number | null }} SomeStage
 */

/** The kind under which attempts are counted that the end of a stage cut off. */
export const ABANDONED = 'abandoned';

/**
 * @param {SomeStage} stage whose attempts may come from a log, which does not name those that failed
 * @returns {number} attempts that failed, without those that the end of the stage cut off
 */
export function failedAttemptsOf({ attempts, operations, steps, errors, failedAttempts }) {
  return failedAttempts ?? attempts - operations - (steps ?? 0) - (errors[ABANDONED] ?? 0);
}
