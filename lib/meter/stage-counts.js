/** The counts that are sums over the cores, and nothing more. */
export const SUMMED_COUNTS = /** @type {const} */ ([
  'operations',
  'bytes',
  'warmupOperations',
  'warmupBytes',
  'drainOperations',
  'drainBytes',
  'retries',
  'throttled',
  'unsent',
  'failed',
  'integrityErrors',
  'skipped',
  'abandoned',
  'unknownOutcomes',
  'timeLost',
  'timeGivenUp',
]);

/**
 * What is counted of a stage.
 *
 * @typedef {object} StageCounts
 * @property {number} operations that succeeded, verification included
 * @property {number} bytes of those operations' objects
 * @property {number} warmupOperations those of them that completed while the stage warmed up
 * @property {number} warmupBytes of those operations' objects
 * @property {number} drainOperations those that were under way when the time of the stage was over, and completed then
 * @property {number} drainBytes of those operations' objects
 * @property {number} attempts all, successful or not
 * @property {number} retries attempts that failed and were tried again
 * @property {number} throttled attempts by whose answer the store asked for fewer requests
 * @property {number} unsent attempts that failed before they had a connection: the store cannot have seen them
 * @property {number} failed operations that the retry policy gave up
 * @property {number} integrityErrors operations whose answer was not what had been written
 * @property {number} skipped operations that had no object, because Write had not written it
 * @property {number} abandoned operations that were under way when the stage was stopped, and came to no end
 * @property {number} unknownOutcomes writes that may have been carried out, or may still be, although no answer said so
 * @property {number} timeLost ms that threads spent before the successful attempts of operations: on failed attempts and the
 *   pauses behind them, and in an open loop on late starts
 * @property {number} timeGivenUp ms that threads spent on operations that were given up, or cut off behind a failed
 *   attempt; late starts included
 * @property {Record<string, number>} errors failed attempts by kind
 */
