/**
 * @import { StageCounts } from './result.js'
 *
 * @typedef {Pick<StageCounts, 'attempts' | 'operations' | 'errors'> &
 *   { failedAttempts?: number | null, steps?: number | null }} SomeStage
 */

/** Error kind of attempts cut off by the end of a stage. */
export const ABANDONED = 'abandoned';

/**
 * @param {SomeStage} stage possibly from a log without a count of failed attempts
 * @returns {number} failed attempts, except those cut off by the end of the stage
 */
export function failedAttemptsOf({ attempts, operations, steps, errors, failedAttempts }) {
  return failedAttempts ?? attempts - operations - (steps ?? 0) - (errors[ABANDONED] ?? 0);
}
