/**
 * @import { StageCounts } from './result.js'
 *
 * @typedef {Pick<StageCounts, 'attempts' | 'operations' | 'errors'> & { failedAttempts?: number | null, steps?: number | null }} SomeStage
 */

/** Error kind of attempts that the end of a stage cut off. */
export const ABANDONED = 'abandoned';

/**
 * @param {SomeStage} stage possibly from a log, which does not list failed attempts
 * @returns {number} failed attempts, without those that the end of the stage cut off
 */
export function failedAttemptsOf({ attempts, operations, steps, errors, failedAttempts }) {
  return failedAttempts ?? attempts - operations - (steps ?? 0) - (errors[ABANDONED] ?? 0);
}
