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
